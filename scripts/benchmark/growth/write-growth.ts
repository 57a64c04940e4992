import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeMachine } from '../../reports/describe-machine.ts'
import { writeBetweenMarks } from '../../reports/write-between-marks.ts'
import { drawGrowth } from './draw-growth.ts'
import { presentGrowthTables } from './present-growth.ts'
import type { GrowthOutcome } from './run-growth.ts'

const MARKS = {
  start: '<!-- growth: written by `npm run bench -- --growth --write` -->',
  end: '<!-- end of growth -->',
}

const CHART = 'docs/bench-growth.svg'

/** Writes the chart, and the tables into their part of BENCHMARKS.md. */
export function writeGrowth(root: string, { points, versions }: GrowthOutcome, command: string): void {
  writeFileSync(join(root, CHART), drawGrowth(points))
  const { hardware, node } = describeMachine(root)
  const text = [
    `- ${hardware}`,
    `- ${node}, Postgres ${versions.postgres}, Redis ${versions.redis}`,
    `- \`${command}\`, ${new Date().toISOString().slice(0, 10)}; medians of the rounds`,
    '',
    `![Cost against the number of stored datasets](${CHART})`,
    '',
    presentGrowthTables(points),
  ].join('\n')
  writeBetweenMarks(join(root, 'BENCHMARKS.md'), { marks: MARKS, title: 'Benchmarks', text })
}
