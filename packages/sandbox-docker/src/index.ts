// The door: the provider and its options, nothing else.
export { type DockerOptions, docker } from './docker.js'
