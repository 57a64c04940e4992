import type { Command } from 'commander'
import type { Db } from '../../db/postgres/database.ts'
import { requireSecondPerson } from '../../db/scorecards/four-eyes.ts'
import {
  challengeScorecard,
  draftScorecard,
  promoteScorecard,
  retireScorecard,
  rollBackScorecard,
} from '../../db/scorecards/scorecard-stages.ts'
import { listDefinitions, listVersions, saveDefinition } from '../../db/scorecards/scorecards.ts'
import { resumeScorecard } from '../../db/scorecards/suspensions.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UserError } from '../cli/user-error.ts'
import { currentOperator, requireSubscription, withDatabase } from '../cli/with-database.ts'
import { changeStage, deployScorecard } from '../scorecards/deploy-scorecard.ts'
import { readScorecard } from '../scorecards/read-scorecard.ts'
import { requireCode } from './code.ts'
import { dryRunCommand } from './scorecard-dry-run.ts'
import { importCommand } from './scorecard-import.ts'
import { monitorCommand } from './scorecard-monitor.ts'
import { isVersion, requireVerified, requireVersion } from './scorecard-version.ts'

/** Returns an existing version by its first digits, or saves the definition in a file and returns its version. */
async function saveOrFind(
  trx: Db,
  subscriptionId: number,
  code: string,
  versionOrFile: string,
): Promise<string> {
  if (isVersion(versionOrFile)) return requireVerified(trx, subscriptionId, code, versionOrFile)
  return saveDefinition(trx, subscriptionId, await readScorecard(versionOrFile), currentOperator())
}

export function scorecardCommands(scorecard: Command, io: CommandIo): void {
  scorecard.addHelpText(
    'after',
    `
VERSION is a version as shown by scorecard list, or its first digits. Changes apply from the next batch of datasets on;
existing scores do not change.

Examples:
  scripts/admin scorecard list "Acme Lending"
  scripts/admin scorecard deploy "Acme Lending" app_score card.json
  scripts/admin scorecard dry-run "Acme Lending" app_score card-2027.json --last 10000
  scripts/admin scorecard challenge "Acme Lending" app_score card-2027.json
  scripts/admin scorecard promote "Acme Lending" app_score
  scripts/admin scorecard rollback "Acme Lending" app_score`,
  )

  importCommand(scorecard, io)
  dryRunCommand(scorecard, io)
  monitorCommand(scorecard, io)

  const inSubscription = (nameOrId: string, work: (trx: Db, subscriptionId: number) => Promise<object>) =>
    withDatabase(io, async (db) => {
      const { id } = await requireSubscription(db, nameOrId)
      return db.transaction((trx) => work(trx, id))
    })

  scorecard
    .command('list <subscription>')
    .description('List all versions by code and stage')
    .action((nameOrId: string) =>
      inSubscription(nameOrId, async (db, id) => ({ scorecards: await listVersions(db, id) })),
    )

  scorecard
    .command('show <subscription> <code> [version]')
    .description('Show the definition of a version; by default the champion')
    .action((nameOrId: string, code: string, digits?: string) =>
      inSubscription(nameOrId, async (db, subscriptionId) => {
        const version =
          digits === undefined
            ? (await listVersions(db, subscriptionId)).find(
                (listed) => listed.code === code && listed.stage === 'champion',
              )?.version
            : await requireVersion(db, subscriptionId, code, digits)
        if (version === undefined) throw new UserError(`The code ${code} has no champion`)
        const [found] = await listDefinitions(db, [{ subscriptionId, version }])
        return found ?? {}
      }),
    )

  scorecard
    .command('draft <subscription> <code> <file>')
    .description('Validate a definition (JSON) and save it as a draft, which does not score')
    .action((nameOrId: string, code: string, file: string) =>
      inSubscription(nameOrId, async (trx, subscriptionId) => {
        const definition = await readScorecard(file)
        const version = await saveDefinition(trx, subscriptionId, definition, currentOperator())
        return changeStage(trx, { subscriptionId, actor: currentOperator(), action: 'scorecard.draft' }, () =>
          draftScorecard(trx, { subscriptionId, code: requireCode(code), version }),
        )
      }),
    )

  scorecard
    .command('deploy <subscription> <code> <file>')
    .description('Validate a definition (JSON) and make it champion from the next batch of datasets on')
    .action((nameOrId: string, code: string, file: string) =>
      inSubscription(nameOrId, async (trx, id) =>
        deployScorecard(
          trx,
          { subscriptionId: id, actor: currentOperator(), code: requireCode(code) },
          await readScorecard(file),
        ),
      ),
    )

  scorecard
    .command('challenge <subscription> <code> <version-or-file>')
    .description(
      'Make a version the challenger: it scores in shadow mode; its scores are stored, not returned',
    )
    .action((nameOrId: string, code: string, versionOrFile: string) =>
      inSubscription(nameOrId, async (trx, subscriptionId) => {
        const version = await saveOrFind(trx, subscriptionId, requireCode(code), versionOrFile)
        return changeStage(
          trx,
          { subscriptionId, actor: currentOperator(), action: 'scorecard.challenge' },
          () => challengeScorecard(trx, { subscriptionId, code, version }),
        )
      }),
    )

  scorecard
    .command('promote <subscription> <code> [version]')
    .description('Make the challenger, or this version, champion; the previous champion is retired')
    .action((nameOrId: string, code: string, digits?: string) =>
      inSubscription(nameOrId, async (trx, subscriptionId) => {
        const version = digits && (await requireVerified(trx, subscriptionId, requireCode(code), digits))
        return changeStage(
          trx,
          { subscriptionId, actor: currentOperator(), action: 'scorecard.promote' },
          async () => {
            const changed = await promoteScorecard(trx, {
              subscriptionId,
              code,
              version: version || undefined,
            })
            await requireSecondPerson(trx, { ...changed, subscriptionId, actor: currentOperator() })
            return changed
          },
        )
      }),
    )

  scorecard
    .command('rollback <subscription> <code>')
    .description('Restore the previous champion')
    .action((nameOrId: string, code: string) =>
      inSubscription(nameOrId, (trx, subscriptionId) =>
        changeStage(trx, { subscriptionId, actor: currentOperator(), action: 'scorecard.rollback' }, () =>
          rollBackScorecard(trx, { subscriptionId, code }),
        ),
      ),
    )

  scorecard
    .command('retire <subscription> <code> <version>')
    .description('Retire a version, whatever its stage: it no longer scores')
    .action((nameOrId: string, code: string, digits: string) =>
      inSubscription(nameOrId, async (trx, subscriptionId) => {
        const version = await requireVersion(trx, subscriptionId, code, digits)
        return changeStage(
          trx,
          { subscriptionId, actor: currentOperator(), action: 'scorecard.retire' },
          () => retireScorecard(trx, { subscriptionId, code, version }),
        )
      }),
    )

  scorecard
    .command('resume <subscription> <code> <version>')
    .description('End the suspension of a version that took too long: it scores again in its stage')
    .action((nameOrId: string, code: string, digits: string) =>
      inSubscription(nameOrId, async (trx, subscriptionId) => {
        const version = await requireVersion(trx, subscriptionId, code, digits)
        return changeStage(
          trx,
          { subscriptionId, actor: currentOperator(), action: 'scorecard.resume' },
          () => resumeScorecard(trx, { subscriptionId, code, version }),
        )
      }),
    )
}
