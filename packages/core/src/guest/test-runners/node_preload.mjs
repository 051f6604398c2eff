// Loaded into each process of node:test before its test file: what decides there cannot be replaced unnoticed.
import assert from 'node:assert'
import { AsyncResource } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import process from 'node:process'
import { Readable, Writable } from 'node:stream'
import nodeTest from 'node:test'
import v8 from 'node:v8'

for (const one of [assert, assert.strict, assert.AssertionError, assert.AssertionError.prototype, nodeTest])
  Object.freeze(one)
Object.freeze(AsyncResource.prototype)

// Honest programs may shadow these in objects of their own, so they are compared at the end instead of frozen.
const watched = [
  EventEmitter.prototype,
  Readable.prototype,
  Writable.prototype,
  v8.Serializer.prototype,
  v8.DefaultSerializer.prototype,
]
const stateOf = () => watched.map((owner) => Object.entries(Object.getOwnPropertyDescriptors(owner)))
const before = stateOf()
const isSame = () =>
  stateOf().every(
    (entries, at) =>
      entries.length === before[at].length &&
      entries.every(
        ([name, { value }], index) =>
          before[at][index][0] === name && Object.is(before[at][index][1].value, value),
      ),
  )
const { reallyExit } = process
process.on('exit', () => {
  if (!isSame()) reallyExit.call(process, 97)
})
const { MENDLOOP_NODE_OPTIONS: options } = process.env
delete process.env.MENDLOOP_NODE_OPTIONS
if (options) process.env.NODE_OPTIONS = options
else delete process.env.NODE_OPTIONS
