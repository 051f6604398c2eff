import type { Guarantees } from '@mendloop/core'
import { describe, expect, test } from 'vitest'
import { onLinux } from '../../../core/test/helpers/requires.js'
import type { IsolationTier } from '../../src/index.js'
import { chooseTier, type TierTest } from '../../src/tiers/choose-tier.js'
import { whyUnavailable } from '../../src/tiers/tier-test.js'

const SOUND: Guarantees = {
  isolation: 'namespaces',
  network: 'denied',
  files: 'private-root',
  processes: 'own-namespace',
  descendants: 'killed',
  memory: 'per-process',
  pids: 'per-sandbox',
  disk: 'bounded',
  syscalls: 'allow-list',
}

/** A machine on which each tier's test comes out as told; what is not told works. */
function machine(answers: Partial<Record<IsolationTier, TierTest>>) {
  const asked: IsolationTier[] = []
  const test = (tier: IsolationTier): Promise<TierTest> => {
    asked.push(tier)
    return Promise.resolve(answers[tier] ?? { guarantees: SOUND })
  }
  return { asked, test }
}

describe.runIf(onLinux('the choice of a tier'))('on Linux', () => {
  test('auto takes the strongest and does not try the others', async () => {
    const { asked, test } = machine({})
    const chosen = await chooseTier({ isolation: 'auto', minimum: 'landlock' }, test)
    expect(chosen).toEqual({ tier: 'namespaces', tested: SOUND })
    expect(asked).toEqual(['namespaces'])
  })

  test('auto goes on to the next where one cannot be opened or does not hold what it promises', async () => {
    const absent = machine({ namespaces: { unavailable: 'there is no "bwrap" here' } })
    const request = { isolation: 'auto', minimum: 'landlock' } as const
    expect((await chooseTier(request, absent.test)).tier).toBe('landlock')
    const open = machine({ namespaces: { guarantees: { ...SOUND, network: 'host' } } })
    expect((await chooseTier(request, open.test)).tier).toBe('landlock')
  })

  test('auto ends at the process tier only where the caller accepts it', async () => {
    const nothing = { namespaces: { unavailable: 'a' }, landlock: { unavailable: 'b' } }
    const chosen = await chooseTier({ isolation: 'auto', minimum: 'process' }, machine(nothing).test)
    expect(chosen).toEqual({ tier: 'process', tested: undefined })
    await expect(
      chooseTier({ isolation: 'auto', minimum: 'landlock' }, machine(nothing).test),
    ).rejects.toMatchObject({
      code: 'ISOLATION_UNAVAILABLE',
      details: { minimum: 'landlock', available: 'process', property: 'isolation' },
    })
  })

  test('what is asked by name and fails is refused with the property, what was found, and the remedy', async () => {
    const weak = machine({ landlock: { guarantees: { ...SOUND, processes: 'none' } } })
    await expect(chooseTier({ isolation: 'landlock', minimum: 'landlock' }, weak.test)).rejects.toMatchObject(
      {
        message: expect.stringMatching(/"landlock" tier: processes does not hold \(it was "none"\).*6\.12/),
        details: { property: 'processes' },
      },
    )
    const absent = machine({ namespaces: { unavailable: 'there is no "bwrap" here' } })
    await expect(chooseTier({ isolation: 'namespaces', minimum: 'namespaces' }, absent.test)).rejects.toThrow(
      /no "bwrap" here.*apt install bubblewrap/,
    )
  })

  test('the strongest tier that works is named, though it is weaker than what was asked for', async () => {
    const { test, asked } = machine({ namespaces: { unavailable: 'there is no "bwrap" here' } })
    await expect(chooseTier({ isolation: 'auto', minimum: 'namespaces' }, test)).rejects.toMatchObject({
      message: expect.stringMatching(
        /apt install bubblewrap.*The "landlock" tier works here: subprocess\(\{ minimum: 'landlock' \}\) accepts it\.$/,
      ),
      details: { minimum: 'namespaces', available: 'landlock' },
    })
    expect(asked).toEqual(['namespaces', 'landlock'])
  })

  test('a tier by name that is weaker than the minimum is answered with what the machine has', async () => {
    const request = { isolation: 'landlock', minimum: 'namespaces' } as const
    await expect(chooseTier(request, machine({}).test)).rejects.toMatchObject({
      message: expect.stringMatching(
        /weaker than minimum "namespaces".*minimum: 'landlock' }\) asks for it by name/,
      ),
      details: { available: 'namespaces' },
    })
    const absent = machine({ namespaces: { unavailable: 'a' } })
    await expect(chooseTier(request, absent.test)).rejects.toMatchObject({
      details: { available: 'landlock' },
    })
  })

  test('a tier that breaks a promise is not named as one that works', async () => {
    const { test } = machine({
      namespaces: { unavailable: 'a' },
      landlock: { guarantees: { ...SOUND, files: 'same-user' } },
    })
    await expect(chooseTier({ isolation: 'auto', minimum: 'namespaces' }, test)).rejects.toMatchObject({
      details: { available: 'process' },
    })
  })

  test('what is missing for all tiers is told first, and alone', async () => {
    const remedy = 'There is no interpreter "python3". Install Python 3.'
    const missing = { unavailable: 'no interpreter "python3"', remedy }
    const { test } = machine({ namespaces: missing, landlock: missing })
    const refusal = await chooseTier({ isolation: 'auto', minimum: 'landlock' }, test).catch(String)
    expect(refusal).toMatch(/subprocess\(\): There is no interpreter "python3"\. Install Python 3\./)
    expect(refusal).not.toMatch(/bubblewrap|Landlock/)
    await expect(chooseTier({ isolation: 'landlock', minimum: 'landlock' }, test)).rejects.toMatchObject({
      details: { remedy },
    })
  })

  test('a tier that fails for want of processes or open files is told as that', () => {
    const error = new Error('its self-test gave no answer: [Errno 11] Resource temporarily unavailable')
    expect(whyUnavailable(error)).toMatchObject({ remedy: expect.stringMatching(/EAGAIN.*ulimit -u/) })
    const files = Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' })
    expect(whyUnavailable(files)).toMatchObject({ remedy: expect.stringContaining('ulimit -n') })
    expect(whyUnavailable(new Error('spawn EINVAL'))).toEqual({ unavailable: 'spawn EINVAL' })
    expect(whyUnavailable(new Error('no user namespaces'))).toEqual({ unavailable: 'no user namespaces' })
  })

  test('a weak tier by name opens as what it was found to be, where even the process tier would do', async () => {
    const found = { ...SOUND, processes: 'none' } as const
    const { test } = machine({ landlock: { guarantees: found } })
    expect(await chooseTier({ isolation: 'landlock', minimum: 'process' }, test)).toEqual({
      tier: 'landlock',
      tested: found,
    })
  })

  test('a minimum above what is asked by name is a contradiction, told as one', async () => {
    const { asked, test } = machine({})
    await expect(chooseTier({ isolation: 'landlock', minimum: 'namespaces' }, test)).rejects.toThrow(
      /isolation "landlock" is weaker than minimum "namespaces"/,
    )
    // Only to tell what there is here.
    expect(asked).toEqual(['namespaces'])
  })

  test("another system's tier is refused", async () => {
    await expect(
      chooseTier({ isolation: 'seatbelt', minimum: 'seatbelt' }, machine({}).test),
    ).rejects.toThrow(/\(linux\) does not have it/)
  })
})
