// Where npm and pnpm keep what they fetch: their usual caches in the home folder, shared by all projects, or
// node_modules/.cache when those cannot be written to.
import { accessSync, constants, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ownCache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))

/** Environment for npm and the pnpm that it starts. */
export function installEnvironment() {
  const env = {
    ...process.env,
    // npm's news of itself is none of ours.
    npm_config_update_notifier: 'false',
    // Its own patience of 70 s looks like a hang when there is no network.
    npm_config_fetch_retry_mintimeout: process.env.npm_config_fetch_retry_mintimeout ?? '1000',
    npm_config_fetch_retry_maxtimeout: process.env.npm_config_fetch_retry_maxtimeout ?? '4000',
  }
  if (usualCaches().every(isWritable)) return env
  return {
    ...env,
    npm_config_cache: join(ownCache, 'npm'),
    npm_config_logs_dir: join(ownCache, 'npm/_logs'),
    PNPM_HOME: join(ownCache, 'pnpm'),
    XDG_DATA_HOME: join(ownCache, 'data'),
    XDG_CACHE_HOME: join(ownCache, 'cache'),
    XDG_STATE_HOME: join(ownCache, 'state'),
    // Settings are only read; a home that cannot even be looked into has none, and pnpm stumbles over it.
    ...(isReadable(homeFolder()) ? {} : { XDG_CONFIG_HOME: join(ownCache, 'config') }),
  }
}

const homeFolder = () => process.env.HOME || homedir()

function usualCaches() {
  const home = homeFolder()
  const npm = process.env.npm_config_cache || join(home, '.npm')
  return [
    ...['_cacache', '_npx', '_logs'].map((name) => join(npm, name)),
    join(process.env.XDG_DATA_HOME || join(home, '.local/share'), 'pnpm'),
    join(process.env.XDG_CACHE_HOME || join(home, '.cache'), 'pnpm'),
    join(process.env.XDG_STATE_HOME || join(home, '.local/state'), 'pnpm'),
  ]
}

/**
 * The folder that keeps an install from happening here.
 *
 * @param {string} root
 * @returns {string | undefined}
 */
export function whatIsNotWritable(root) {
  return [join(root, '.'), join(root, 'node_modules')].find((folder) => !isWritable(folder))
}

/** @param {string} folder */
function isReadable(folder) {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}

/** Whether `folder` can be written to, or made: then the nearest folder that is there decides. @param {string} folder */
function isWritable(folder) {
  try {
    if (!statSync(folder).isDirectory()) return false
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch (error) {
    return error.code === 'ENOENT' && dirname(folder) !== folder && isWritable(dirname(folder))
  }
}
