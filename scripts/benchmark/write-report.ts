import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeMachine } from '../reports/describe-machine.ts'
import { writeBetweenMarks } from '../reports/write-between-marks.ts'
import { drawLatency } from './draw-latency.ts'
import { presentTable } from './present-table.ts'
import type { BenchOutcome } from './run-benchmark.ts'

const MARKS = {
  start: '<!-- measured: written by `npm run bench -- --write` -->',
  end: '<!-- end of measured -->',
}

/**
 * Writes the results into BENCHMARKS.md between two marks, so that the text around them stays, and the latency chart if
 * loads were offered.
 */
export function writeReport(
  root: string,
  { samples, offered, versions }: BenchOutcome,
  command: string,
): void {
  if (!versions) throw new Error('A report needs a complete run')
  const chart = 'docs/bench-latency.svg'
  const isDrawn = offered.inkling.length > 0
  if (isDrawn) writeFileSync(join(root, chart), drawLatency(offered))
  const { hardware, node, packages } = describeMachine(root)
  const text = [
    `- ${hardware}`,
    `- ${node}, Postgres ${versions.postgres} (fsync and synchronous_commit on), Redis ${versions.redis} (appendonly yes)`,
    `- ${packages}`,
    `- \`${command}\`, ${new Date().toISOString().slice(0, 10)}; each cell is the median of the rounds (lowest–highest)`,
    '',
    presentTable(samples),
    ...(isDrawn
      ? ['', '## Latency against offered load', '', `![Latency of uploads against offered load](${chart})`]
      : []),
  ].join('\n')
  writeBetweenMarks(join(root, 'BENCHMARKS.md'), { marks: MARKS, title: 'Benchmarks', text })
}
