import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readToEnd } from '../../support/read-to-end.ts'
import { PROJECT } from '../../support/start-process.ts'

/** Shares of traces that are recorded: of our own, and of those that callers began with and without the flag *sampled*. */
type Shares = { own: number; sampled: number; not: number }

test.concurrent.each<[sampler: string, share: string, expected: Shares]>([
  ['', '', { own: 0.01, sampled: 1, not: 0 }],
  ['parentbased_always_on', '', { own: 1, sampled: 1, not: 0 }],
  ['traceidratio', '0.5', { own: 0.5, sampled: 0.5, not: 0.5 }],
  ['always_on', '0.5', { own: 1, sampled: 1, not: 1 }],
  ['always_off', '0.5', { own: 0, sampled: 0, not: 0 }],
])('OTEL_TRACES_SAMPLER=%s with the share %s', async (sampler, share, expected) => {
  const counting = spawn(process.execPath, [join(PROJECT, 'test/support/count-traces.ts')], {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      ...(sampler && { OTEL_TRACES_SAMPLER: sampler }),
      ...(share && { OTEL_TRACES_SAMPLER_ARG: share }),
    },
  })
  const { stdout, stderr } = await readToEnd(counting)
  expect(stderr).toBe('')
  const shares: Shares = JSON.parse(stdout)
  for (const [name, wanted] of Object.entries(expected) as [keyof Shares, number][]) {
    // five standard deviations; exact for all and none
    const tolerance = 5 * Math.sqrt((wanted * (1 - wanted)) / 2_000)
    expect(Math.abs(shares[name] - wanted), `${name}: ${shares[name]}`).toBeLessThanOrEqual(tolerance)
  }
})
