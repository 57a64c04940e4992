import type { Logger } from 'pino'
import type { Db } from '../postgres/database.ts'
import { checkClock } from './check-clock.ts'
import { checkDurability } from './check-durability.ts'
import { checkServer } from './check-server.ts'
import type { Finding } from './finding.ts'
import { readPostgresSettings } from './postgres-settings.ts'

/**
 * Exits the process if a crash of Postgres would lose accepted uploads; logs a warning for each other fault of its settings. One round trip.
 *
 * If Postgres is unavailable, nothing is checked: it may be back before it is needed.
 */
export async function checkSettings(db: Db, log: Logger): Promise<void> {
  const settings = await readPostgresSettings(db).catch(() => undefined)
  if (!settings) return
  for (const finding of [...checkServer(settings), ...checkClock('Postgres', settings.aheadMs)])
    log.warn(describe(finding))
  const durability = checkDurability(settings)
  for (const finding of durability) log[losesData(finding) ? 'fatal' : 'warn'](describe(finding))
  if (durability.some(losesData)) process.exit(1)
}

/** Whether a finding of `checkDurability` is that a crash loses accepted uploads. */
const losesData = ({ level }: Finding) => level === 'error'

const describe = ({ message, remedy }: Finding) => (remedy === undefined ? message : `${message}. ${remedy}`)
