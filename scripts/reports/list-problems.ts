import { PROBLEM_CODES, PROBLEMS } from '../../api/http/problem.ts'
import { PROBLEM_HELP, type Retry } from '../../api/http/problem-help.ts'
import type { Marks } from './write-between-marks.ts'

/** Of docs/errors.md. */
export const PROBLEM_MARKS: Marks = {
  start: '<!-- problems: written by npm run docs:errors -->',
  end: '<!-- end of problems -->',
}

const RETRIES: Record<Retry, string> = {
  never: 'never',
  after_delay: 'after `Retry-After`',
  with_backoff: 'with back-off',
  after_change: 'after a change',
}

/** Returns all problems as a table in Markdown, by status. */
export function listProblems(): string {
  const rows = PROBLEM_CODES.map((code) => ({ code, status: PROBLEMS[code][0], ...PROBLEM_HELP[code] }))
    .toSorted((a, b) => a.status - b.status)
    .map(
      ({ code, status, retry, meaning, remedy }) =>
        `| ${status} | \`${code}\` | ${RETRIES[retry]} | ${meaning} | ${remedy} |`,
    )
  return ['| status | title | retry | when it occurs | what to do |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  )
}
