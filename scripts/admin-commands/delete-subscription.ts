import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Subscription } from '../../db/accounts/subscriptions.ts'
import type { Db } from '../../db/postgres/database.ts'
import { beginDeletion, deleteNext, endDeletion, listTables } from '../../db/privacy/delete-subscription.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { UserError } from '../cli/user-error.ts'
import { currentOperator } from '../cli/with-database.ts'

/** Asks for the name of the subscription. @throws UserError if another one is typed. */
async function confirm({ stdin, stderr }: CommandIo, name: string): Promise<void> {
  stderr.write(`This permanently deletes all data of ${name}. Type the name of the subscription to go on: `)
  let typed = ''
  for await (const line of createInterface({ input: stdin })) {
    typed = line
    break
  }
  if (typed !== name) throw new UserError('This is not the name of the subscription: nothing was deleted')
}

/**
 * Deletes a subscription, step by step, until all is deleted or it is interrupted; another call goes on.
 *
 * @returns how many rows this call deleted.
 */
export async function deleteSubscription(
  io: CommandIo,
  db: Db,
  { id, name }: Subscription,
  { yes }: { yes?: boolean },
): Promise<object> {
  if (!yes) await confirm(io, name)
  const actor = currentOperator()
  const stop = io.catchInterrupt()
  const waitMs = await beginDeletion(db, id, actor)
  if (waitMs > 0) {
    io.stderr.write(
      'Its keys are destroyed and its credentials rejected. Waiting for requests in progress …\n',
    )
    await delay(waitMs, undefined, { signal: stop }).catch(() => undefined)
  }
  const tables = await listTables(db)
  let rows = 0
  let reported = Date.now()
  while (!stop.aborted) {
    const deleted = await deleteNext(db, id, tables)
    if (deleted === 0) {
      await endDeletion(db, id, { actor, rows })
      return { id, name, deleted: true, rows }
    }
    rows += deleted
    if (Date.now() - reported < 2_000) continue
    reported = Date.now()
    io.stderr.write(`${rows} rows deleted so far\n`)
  }
  io.exitCode = 130
  return { id, name, deleted: false, rows }
}
