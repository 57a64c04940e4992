import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeMachine } from './describe-machine.ts'
import { drawLatency } from './draw-latency.ts'
import { presentTable } from './present-table.ts'
import type { BenchOutcome } from './run-benchmark.ts'

const START = '<!-- measured: written by `npm run bench -- --write` -->'
const END = '<!-- end of measured -->'

const NEW_REPORT = `# Benchmarks

${START}
${END}
`

/**
 * Writes what was measured into BENCHMARKS.md, between two marks so that what people wrote around it stays, and the
 * picture beside it if loads were offered.
 */
export function writeReport(
  root: string,
  { samples, offered, versions }: BenchOutcome,
  command: string,
): void {
  const picture = 'docs/bench-latency.svg'
  const isDrawn = offered.inkling.length > 0
  if (isDrawn) writeFileSync(join(root, picture), drawLatency(offered))
  const measured = [
    ...describeMachine(root, versions).map((line) => `- ${line}`),
    `- \`${command}\`, ${new Date().toISOString().slice(0, 10)}; each cell is the median of the rounds (lowest–highest)`,
    '',
    presentTable(samples),
    ...(isDrawn
      ? ['', '## Latency against offered load', '', `![Latency of uploads against offered load](${picture})`]
      : []),
  ].join('\n')

  const file = join(root, 'BENCHMARKS.md')
  const report = existsSync(file) ? readFileSync(file, 'utf8') : NEW_REPORT
  const [before, after] = [report.indexOf(START), report.indexOf(END)]
  if (before < 0 || after < before)
    throw new Error('BENCHMARKS.md has lost the marks between which the table is written')
  writeFileSync(file, `${report.slice(0, before)}${START}\n\n${measured}\n\n${report.slice(after)}`)
}
