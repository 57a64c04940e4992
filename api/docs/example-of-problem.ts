import { type ProblemDetails, presentProblem } from '../http/present-problem.ts'
import { Problem, type ProblemCode } from '../http/problem.ts'

const TRACE_ID = '0b5f6a3c-6a1e-4c55-9d0e-3f1f5f6d9a11'

const ORIGIN = 'https://inkling.example'

const ERRORS: Partial<Record<ProblemCode, Record<string, string[]>>> = {
  segment_invalid: { 'behaviour.startedAt': ['is required'] },
  segments_missing: { segments: ['0', '3'] },
  validation_failed: { referenceNumber: ['is required'] },
  additional_info_conflict: {
    'additionalInfo.clientId': ['is saved with another value, which cannot be changed'],
  },
}

/** Returns an example of a problem's body. @param status overrides the default status. */
export const exampleOfProblem = (code: ProblemCode, status?: number): ProblemDetails =>
  presentProblem(
    new Problem(code, { ...(status && { status }), ...(ERRORS[code] && { errors: ERRORS[code] }) }),
    TRACE_ID,
    ORIGIN,
  )
