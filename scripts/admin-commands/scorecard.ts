import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { recordAudit } from '../../db/audit-events.ts'
import type { Db } from '../../db/database.ts'
import { Scorecard } from '../../db/scorecard.ts'
import { deployScorecard } from '../../db/scorecards.ts'
import { requireCode } from './code.ts'
import { Refusal } from './refusal.ts'
import { ACTOR, requireSubscription, withDatabase } from './with-database.ts'

const DEMO_SCORECARDS = {
  demo_mobile: new URL('../scorecards/demo-mobile.json', import.meta.url),
  demo_web: new URL('../scorecards/demo-web.json', import.meta.url),
}

/** @throws Refusal that says what is wrong with the definition, and where. */
async function readScorecard(file: string | URL): Promise<Scorecard> {
  const text = await readFile(file, 'utf8')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new Refusal(`${file} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  const result = Scorecard.safeParse(json)
  if (result.success) return result.data
  throw new Refusal(`${file} is not a scorecard:\n${z.prettifyError(result.error)}`)
}

async function deploy(trx: Db, subscriptionId: number, code: string, definition: Scorecard): Promise<object> {
  const version = createHash('sha256').update(JSON.stringify(definition)).digest('hex')
  await deployScorecard(trx, { subscriptionId, code, version }, definition)
  await recordAudit(trx, {
    subscriptionId,
    actor: ACTOR,
    action: 'scorecard.deploy',
    subject: code,
    detail: { version },
  })
  return { code, version, name: definition.name, platforms: definition.platforms }
}

/** Deploys the scorecards that a new subscription starts with, under the codes demo_mobile and demo_web. */
export async function deployDemoScorecards(trx: Db, subscriptionId: number): Promise<void> {
  for (const [code, file] of Object.entries(DEMO_SCORECARDS))
    await deploy(trx, subscriptionId, code, await readScorecard(file))
}

export function scorecardCommands(program: Command): void {
  program
    .command('scorecard')
    .description('Scorecards')
    .command('deploy <subscription> <code> <file>')
    .description('Validate a scorecard definition (JSON) and score with it from the next dataset on')
    .action((nameOrId: string, code: string, file: string) =>
      withDatabase(async (db) => {
        const { id } = await requireSubscription(db, nameOrId)
        const definition = await readScorecard(file)
        return db.transaction((trx) => deploy(trx, id, requireCode(code), definition))
      }),
    )
}
