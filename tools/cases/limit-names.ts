// How a case may spell a limit: with or without "max", and in whichever unit suits it.
import type { Limits } from '@mendloop/core'
import { NotUnderstood, own } from './expectation.js'

type LimitName = keyof Limits

const UNITS: Readonly<Record<string, { readonly of: 'time' | 'size'; readonly times: number }>> = {
  Ms: { of: 'time', times: 1 },
  Seconds: { of: 'time', times: 1000 },
  Bytes: { of: 'size', times: 1 },
  KB: { of: 'size', times: 1000 },
  MB: { of: 'size', times: 1000 ** 2 },
  GB: { of: 'size', times: 1000 ** 3 },
  KiB: { of: 'size', times: 1024 },
  MiB: { of: 'size', times: 1024 ** 2 },
  GiB: { of: 'size', times: 1024 ** 3 },
}

const MEASURED: Readonly<Record<string, { readonly of: 'time' | 'size'; readonly name: LimitName }>> = {
  timeout: { of: 'time', name: 'wallMs' },
  cpu: { of: 'time', name: 'cpuMs' },
  memory: { of: 'size', name: 'memoryBytes' },
  output: { of: 'size', name: 'outputBytes' },
  // The product keeps as much of either stream.
  stdout: { of: 'size', name: 'outputBytes' },
  file: { of: 'size', name: 'fileBytes' },
  disk: { of: 'size', name: 'diskBytes' },
}

const COUNTED: Readonly<Record<string, LimitName>> = { processes: 'processes', openFiles: 'openFiles' }

/** Such as `maxMemoryMiB` 64 → `{ memoryBytes: 67108864 }`. */
export function limitOf(key: string, value: number): Partial<Limits> {
  const plain = key.replace(/^max([A-Z])/, (_, first: string) => first.toLowerCase())
  const counted = own(COUNTED, plain)
  if (counted !== undefined) return { [counted]: value }
  const [, what = '', unitName = ''] = /^([a-z]+?)(?:Limit|Size)?([A-Z][A-Za-z]+)$/.exec(plain) ?? []
  const [measured, unit] = [own(MEASURED, what), own(UNITS, unitName.replace(/^([KMG])b$/, '$1B'))]
  if (measured === undefined || unit === undefined || measured.of !== unit.of)
    throw new NotUnderstood(`the option "${key}" is not known`)
  return { [measured.name]: value * unit.times }
}
