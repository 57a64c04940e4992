import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Subscription } from '../../db/accounts/subscriptions.ts'
import { listTestSubscriptions } from '../../db/accounts/test-subscriptions.ts'
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
 * Deletes a subscription and its test mode, step by step, until all is deleted or it is interrupted; another call goes on.
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
  let waitMs = await beginDeletion(db, id, actor)
  const tests = await listTestSubscriptions(db, id) // no other can be created any more
  for (const test of tests) waitMs = Math.max(waitMs, await beginDeletion(db, test, actor))
  if (waitMs > 0) {
    io.stderr.write(
      'Its keys are destroyed and its credentials rejected. Waiting for requests in progress …\n',
    )
    await delay(waitMs, undefined, { signal: stop }).catch(() => undefined)
  }
  const tables = await listTables(db)
  let rows = 0
  let reported = Date.now()
  for (const one of [...tests, id]) {
    for (let deleted = -1; deleted !== 0 && !stop.aborted; ) {
      deleted = await deleteNext(db, one, tables)
      rows += deleted
      if (Date.now() - reported < 2_000) continue
      reported = Date.now()
      io.stderr.write(`${rows} rows deleted so far\n`)
    }
    if (!stop.aborted) await endDeletion(db, one, { actor, rows })
  }
  if (!stop.aborted) return { id, name, deleted: true, rows }
  io.exitCode = 130
  return { id, name, deleted: false, rows }
}
