import { type Command, InvalidArgumentError, Option } from 'commander'
import type { z } from 'zod'
import { NewSiteKey, SiteKeyRotation } from '../../api/site-keys/site-key-schemas.ts'
import type { CollectionLevel } from '../../db/collections/collections.ts'
import { findOwnerOfSiteKey, listSiteKeys } from '../../db/collections/list-site-keys.ts'
import {
  createSiteKey,
  MAX_LIVE_SITE_KEYS,
  revokeSiteKey,
  rotateSiteKey,
} from '../../db/collections/site-keys.ts'
import type { Db } from '../../db/postgres/database.ts'
import { describeIssue } from '../../db/runtime/describe-issue.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UserError } from '../cli/user-error.ts'
import { currentOperator, requireSubscription, withDatabase } from '../cli/with-database.ts'

/** Listed keys: all live ones come first. */
const LIST_LIMIT = 1_000

const MANY_LIVE = `The subscription already has ${MAX_LIVE_SITE_KEYS} live site keys; revoke some first`

/** Validates the value of an option by the schema of the API. @throws InvalidArgumentError with the first error. */
function parseBy<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: describeIssue, reportInput: true })
  if (!result.success) throw new InvalidArgumentError(`It ${result.error.issues[0]?.message}.`)
  return result.data
}

const { label, origins, level, modules, maxCollectionsPerDay } = NewSiteKey.shape

const parseOrigin = (value: string, before: readonly string[] = []) => parseBy(origins, [...before, value])

interface CreateOptions {
  readonly origin: readonly string[]
  readonly label: string
  readonly level: CollectionLevel
  readonly module?: z.output<typeof modules>[number]
  readonly maxPerDay?: number
}

export function siteKeyCommands(siteKey: Command, io: CommandIo): void {
  siteKey.addHelpText(
    'after',
    `
KEY is the key itself or its id. Origins stop use of a key by other pages, not by programs, which can send any origin.

Examples:
  scripts/admin site-key create "Acme Lending" --origin https://shop.example --level claimed --label shop
  scripts/admin site-key list "Acme Lending"
  scripts/admin site-key rotate 7 --overlap-hours 48`,
  )

  siteKey
    .command('create <subscription>')
    .description('Create a site key')
    .requiredOption(
      '--origin <origin>',
      'origin of the pages that may use it, such as https://shop.example; repeat it for further origins',
      parseOrigin,
    )
    .requiredOption('--label <label>', 'what the key is used for', (value) => parseBy(label, value).trim())
    .addOption(
      new Option(
        '--level <level>',
        'how a collection gets its reference number: from a token of the backend (verified), by a claim of the backend (claimed), ' +
          'or from the page (open), so that anybody who opens the page can choose it',
      )
        .choices(level.unwrap().options)
        .default('claimed'),
    )
    .addOption(
      new Option('--module <name>', 'optional module of the SDK that its pages may load').choices(
        modules.unwrap().element.options,
      ),
    )
    .option('--max-per-day <n>', 'maximum number of collections per day in UTC; 10000 by default', (value) =>
      parseBy(maxCollectionsPerDay, Number(value)),
    )
    .action((nameOrId: string, options: CreateOptions) =>
      withDatabase(io, async (db) => {
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        const created = await createSiteKey(db, {
          ...{ subscriptionId, actor: currentOperator(), label: options.label, level: options.level },
          origins: options.origin,
          modules: options.module === undefined ? [] : [options.module],
          maxCollectionsPerDay: options.maxPerDay ?? parseBy(maxCollectionsPerDay, undefined),
        })
        if (created === 'limit') throw new UserError(MANY_LIVE)
        return created
      }),
    )

  siteKey
    .command('list <subscription>')
    .description('List the site keys of a subscription with their use of the last 30 days')
    .action((nameOrId: string) =>
      withDatabase(io, async (db) => ({
        keys: await listSiteKeys(db, (await requireSubscription(db, nameOrId)).id, { limit: LIST_LIMIT }),
      })),
    )

  siteKey
    .command('rotate <key>')
    .description('Create a successor with the same settings; the key itself works for some hours more')
    .option(
      '--overlap-hours <n>',
      'hours for which both keys work; 24 by default',
      (value) => parseBy(SiteKeyRotation, { overlapHours: Number(value) }).overlapHours,
    )
    .action((keyOrId: string, options: { overlapHours?: number }) =>
      withDatabase(io, async (db) => {
        const owner = await requireOwner(db, keyOrId)
        const { overlapHours } = SiteKeyRotation.parse(options)
        const successor = await rotateSiteKey(db, { ...owner, actor: currentOperator(), overlapHours })
        if (successor === 'rotated') throw new UserError('The key was rotated before; rotate its successor')
        if (successor === 'ended')
          throw new UserError('The key was revoked or has expired; create another one')
        if (successor === 'limit') throw new UserError(MANY_LIVE)
        return { subscriptionId: owner.subscriptionId, ...successor }
      }),
    )

  siteKey
    .command('revoke <key>')
    .description('Permanently revoke a site key; takes effect within 5 s')
    .action((keyOrId: string) =>
      withDatabase(io, async (db) => {
        const owner = await requireOwner(db, keyOrId)
        const revoked = await revokeSiteKey(db, { ...owner, actor: currentOperator() })
        return { subscriptionId: owner.subscriptionId, ...revoked }
      }),
    )
}

/** @throws UserError if there is no such site key. */
async function requireOwner(db: Db, keyOrId: string) {
  const owner = await findOwnerOfSiteKey(db, keyOrId)
  if (!owner) throw new UserError(`No such site key: ${keyOrId}`)
  return owner
}
