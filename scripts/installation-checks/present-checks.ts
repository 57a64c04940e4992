import type { Level } from '../../db/checks/finding.ts'
import type { CheckResult } from './run-checks.ts'

const STATUS_WIDTH = 'skipped'.length

/** Formats results for a person: a line for each check, then its findings with what to do about them. */
export function presentChecks(results: readonly CheckResult[]): string {
  const width = Math.max(...results.map(({ check }) => check.length))
  const indent = ' '.repeat(STATUS_WIDTH + 2)
  const lines = results.flatMap(({ check, status, saw, findings }) => [
    `${status.padEnd(STATUS_WIDTH)}  ${check.padEnd(width)}  ${saw}`,
    ...findings.flatMap(({ level, message, remedy }) => [
      `${indent}${level}: ${message}`,
      ...(remedy === undefined ? [] : [`${indent}to do: ${remedy}`]),
    ]),
  ])
  const counts = countFindings(results)
  const summary = (Object.keys(counts) as Level[]).map(
    (level) => `${counts[level]} ${level}${counts[level] === 1 ? '' : 's'}`,
  )
  return `${lines.join('\n')}\n\n${summary.join(', ')}\n`
}

/** Counts findings by level. */
export function countFindings(results: readonly CheckResult[]): Record<Level, number> {
  const counts = { error: 0, warning: 0, note: 0 }
  for (const { findings } of results) for (const { level } of findings) counts[level]++
  return counts
}
