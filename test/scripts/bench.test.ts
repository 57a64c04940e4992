import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readToEnd } from '../support/read-to-end.ts'
import { PROJECT } from '../support/start-process.ts'

async function runBench(...options: readonly string[]): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'inkling-bench-test-'))
  try {
    const args = ['--quick', '--json', ...options, '--data', data]
    const child = spawn(join(PROJECT, 'scripts', 'bench'), args, { cwd: PROJECT })
    const { code, stdout, stderr } = await readToEnd(child)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^\{.*\}\n$/)
    return stdout
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

test('the benchmark prints one line of JSON, with null for measures that were not requested', async () => {
  const none = { perSecond: null, p50Ms: null, p99Ms: null, vsTextbook: null, ofCeiling: null }
  const figure = expect.any(Number)
  expect(JSON.parse(await runBench('--only', 'score'))).toEqual({
    processorTime: [
      ['upload', 'web'],
      ['upload', 'postgres'],
      ['dataset', 'worker'],
      ['dataset', 'postgres'],
      ['read', 'web'],
      ['read', 'postgres'],
    ].map(([piece, process]) => ({
      ...{ piece, process },
      ...{ us: null, textbookUs: null, bareUs: null, shareOfBare: null },
    })),
    accept: none,
    drain: none,
    read: none,
    score: {
      pointsPerSecond: figure,
      vsTextbook: figure,
      treesPerSecond: figure,
      treesVsTextbook: figure,
    },
    absorb: { offered: figure, acceptedS: null, drainedS: null, idleP50Ms: null, idleP99Ms: null },
  })
}, 120_000)

test('--growth fills a database with rows that agree with each other, and measures everything in it', async () => {
  const { sizes, measures } = JSON.parse(await runBench('--growth', '--sizes', '1k'))
  expect(sizes).toEqual([1_000])
  for (const { name, costs } of measures)
    expect(costs, name).toEqual([
      expect.objectContaining({
        ...{ postgresUs: expect.any(Number), pages: expect.any(Number), p50Ms: expect.any(Number) },
      }),
    ])
}, 180_000)
