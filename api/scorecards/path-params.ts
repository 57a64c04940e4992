import { z } from 'zod'
import { parse } from '../http/parse.ts'
import { Problem } from '../http/problem.ts'
import { Code, Version } from './scorecard-schemas.ts'

type Params = Readonly<Record<string, string>>

/** Returns the code in a path. @throws Problem `not_found` for an invalid one. */
export function requireCode(params: Params): string {
  const code = Code.safeParse(params.code)
  if (code.success) return code.data
  throw new Problem('not_found')
}

/** Returns the code of a new resource in a path. @throws Problem `validation_failed` for an invalid one. */
export const parseCode = ({ code }: Params): string => parse(z.object({ code: Code }), { code }).code

/** Returns the version in a path. @throws Problem `not_found` for an invalid one. */
export function requireVersion(params: Params): string {
  const version = Version.safeParse(params.version)
  if (version.success) return version.data
  throw new Problem('not_found')
}

/** Returns the id of a trial in a path. @throws Problem `not_found` for an invalid one. */
export function requireTrialId(params: Params): number {
  if (/^[1-9]\d{0,14}$/.test(params.id ?? '')) return Number(params.id)
  throw new Problem('not_found')
}
