import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeEndpoints } from '../../api/docs/openapi.ts'
import { listEndpoints, type Stores } from '../../api/endpoints.ts'
import { openDatabase } from '../../db/postgres/database.ts'
import { UserError } from '../cli/user-error.ts'
import { type Contract, contractOf, writeContract } from './contract.ts'
import { findBreaks } from './find-breaks.ts'

const FOLDER = 'docs/api'

const NAME = /^openapi-(\d+)\.(\d+)\.(\d+)\.json$/

/** Returns the contract of the checked-out sources. */
export async function currentContract(): Promise<Contract> {
  // only the declarations of the endpoints are used; the database is never connected
  const db = openDatabase({ url: 'postgres://nowhere.invalid/none', poolMax: 2 })
  const contract = contractOf(describeEndpoints(listEndpoints({ db } as Stores, { insightWaitMs: 0 })))
  await db.destroy()
  return contract
}

/** Returns the contract of the last release, or of the first one if there is none yet. */
export function lastContract(project: string): Contract | undefined {
  const [last] = readdirSync(join(project, FOLDER))
    .flatMap((name) => {
      const [, ...numbers] = NAME.exec(name) ?? []
      return numbers.length > 0 ? [{ name, numbers: numbers.map(Number) }] : []
    })
    .toSorted((a, b) => compareVersions(b.numbers, a.numbers))
  return last && (JSON.parse(readFileSync(join(project, FOLDER, last.name), 'utf8')) as Contract)
}

/**
 * Accepts the contract of the sources as that of their version: its file has this contract afterwards.
 *
 * @param acceptsBreaks whether clients of the last release may break.
 * @throws UserError if they would, or if the file had to be written and is to be committed.
 */
export async function acceptContract(project: string, acceptsBreaks: boolean): Promise<void> {
  const contract = await currentContract()
  const { version } = contract
  const before = lastContract(project)
  const breaks = before ? findBreaks(before, contract, new Date().toISOString().slice(0, 10)) : []
  if (breaks.length > 0 && !acceptsBreaks)
    throw new UserError(
      `Version ${version} breaks clients of ${before?.version}; see docs/versioning.md, or add --accept-breaks:\n${breaks.join('\n')}`,
    )
  const file = `${FOLDER}/openapi-${version}.json`
  const text = writeContract(contract)
  if (existsSync(join(project, file)) && readFileSync(join(project, file), 'utf8') === text) return
  writeFileSync(join(project, file), text)
  throw new UserError(`${file} has changed and was written: commit it, then run this again`)
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
