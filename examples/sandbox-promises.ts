// Puts a sandbox to the proof: one test for each promise.
import { describe, it } from 'node:test'
import { sandboxConformance } from '@mendloop/core/testing'
import { discreet } from './custom-sandbox.js'

sandboxConformance({ describe, it }, discreet())
