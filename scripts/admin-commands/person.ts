import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { openPersonArchive } from '../../api/privacy/person-export.ts'
import { PersonBody, personOf } from '../../api/privacy/privacy-schemas.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { summarisePerson } from '../../db/privacy/find-person.ts'
import { hashPerson, type Person } from '../../db/privacy/person.ts'
import { findPrivacyRequest, listPrivacyRequests, requestErasure } from '../../db/privacy/privacy-requests.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { currentOperator, openVaultOf, requireSubscription, withDatabase } from '../cli/with-database.ts'

interface PersonOptions {
  clientId?: string
  deviceId?: string
}

/** @throws UsageError unless exactly one identifier is given. */
function requirePerson(options: PersonOptions): Person {
  const parsed = PersonBody.safeParse(options)
  if (!parsed.success) throw new UsageError('Name the person by one of --client-id and --device-id')
  return personOf(parsed.data)
}

const named = (command: Command) =>
  command
    .addOption(new Option('--client-id <id>', 'clientId in the Additional Info').conflicts('deviceId'))
    .addOption(new Option('--device-id <id>', 'identifier of the device in the captures'))

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function personCommands(person: Command, io: CommandIo): void {
  person.addHelpText(
    'after',
    `
Records name a person by a keyed hash of the identifier alone. A person may be known by a client id and by device ids: run a
command for each.

Examples:
  scripts/admin person export "Acme Lending" --client-id C-1042 --out person.tar.gz
  scripts/admin person erase "Acme Lending" --client-id C-1042 --yes
  scripts/admin person status "Acme Lending"`,
  )

  named(person.command('export <subscription>'))
    .description('Write everything that is stored of a person to a gzipped tar of JSON files with a README')
    .requiredOption('--out <file>', 'required: the file to write; it must not exist')
    .action((nameOrId: string, { out, ...options }: PersonOptions & { out: string }) =>
      withDatabase(io, async (db) => {
        const of = requirePerson(options)
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        const file = createWriteStream(out, { flags: 'wx', mode: 0o600 })
        await new Promise((resolve, reject) => file.once('open', resolve).once('error', reject)).catch(
          (error: Error) => {
            throw new UserError(`Cannot write ${out}: ${error.message}`)
          },
        )
        const { request, body } = await openPersonArchive(
          { db, vault: await openVaultOf(io, db) },
          { subscriptionId, person: of, actor: currentOperator() },
        )
        await pipeline(body, file)
        return { file: out, ...(await findPrivacyRequest(db, subscriptionId, request.id)) }
      }),
    )

  named(person.command('erase <subscription>'))
    .description(
      'Permanently delete everything that was received of a person until now; a worker does it, in small steps. Counts of others stay exact',
    )
    .option('--yes', 'erase; without it, only show what would be erased')
    .action((nameOrId: string, { yes, ...options }: PersonOptions & { yes?: true }) =>
      withDatabase(io, async (db) => {
        const of = requirePerson(options)
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        const actor = currentOperator()
        if (yes) return requestErasure(db, { subscriptionId, person: of, actor })
        const subject = await hashPerson(db, subscriptionId, of)
        await recordAudit(db, {
          ...{ subscriptionId, actor, action: 'person.search', subject, detail: { kind: of.kind } },
        })
        return {
          wouldErase: await summarisePerson(db, await openVaultOf(io, db), subscriptionId, of),
          repeatWith: '--yes',
        }
      }),
    )

  named(person.command('status <subscription> [request]'))
    .description('Show the progress of a request, or list the newest requests, all or those about one person')
    .action((nameOrId: string, id: string | undefined, options: PersonOptions) =>
      withDatabase(io, async (db) => {
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        if (id === undefined) {
          const isNamed = Object.keys(options).length > 0
          const hash = isNamed ? await hashPerson(db, subscriptionId, requirePerson(options)) : undefined
          return { requests: await listPrivacyRequests(db, subscriptionId, hash) }
        }
        const request = UUID.test(id) ? await findPrivacyRequest(db, subscriptionId, id) : undefined
        if (!request) throw new UserError(`No such request in this subscription: ${JSON.stringify(id)}`)
        return request
      }),
    )
}
