/** Writes the table of problems into docs/errors.md. */
import { join } from 'node:path'
import { listProblems, PROBLEM_MARKS } from './reports/list-problems.ts'
import { writeBetweenMarks } from './reports/write-between-marks.ts'

writeBetweenMarks(join(import.meta.dirname, '../docs/errors.md'), {
  marks: PROBLEM_MARKS,
  title: 'Errors',
  text: listProblems(),
})
