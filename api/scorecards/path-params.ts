import { z } from 'zod'
import { parse } from '../http/parse.ts'
import { Problem } from '../http/problem.ts'
import { Code, Version } from './scorecard-schemas.ts'

type Params = Readonly<Record<string, string>>

/** The code in a path. @throws Problem `not_found` for what can be none. */
export function requireCode(params: Params): string {
  const code = Code.safeParse(params.code)
  if (code.success) return code.data
  throw new Problem('not_found')
}

/** The code in a path that something new is to be put under. @throws Problem `validation_failed` that says how codes are. */
export const parseCode = ({ code }: Params): string => parse(z.object({ code: Code }), { code }).code

/** The version in a path. @throws Problem `not_found` for what can be none. */
export function requireVersion(params: Params): string {
  const version = Version.safeParse(params.version)
  if (version.success) return version.data
  throw new Problem('not_found')
}

/** The number of a trial in a path. @throws Problem `not_found` for what can be none. */
export function requireTrialId(params: Params): number {
  if (/^[1-9]\d{0,14}$/.test(params.id ?? '')) return Number(params.id)
  throw new Problem('not_found')
}
