import pg from 'pg'
import { RELEASE_NAME } from './postgres/application-name.ts'
import { type Blocker, describeBlocker, findBlockers } from './postgres/blockers.ts'
import { connectionConfig, type DatabaseOptions } from './postgres/database.ts'
import { repeat } from './runtime/repeat.ts'

/** Time after which a wait for the same sessions is reported again. */
const REPEAT_MS = 30_000

/** Watches what the release process waits for. */
export interface LockWatch extends AsyncDisposable {
  /** The sessions that the last look found, if any look did. */
  readonly blockers: readonly Blocker[]
}

/**
 * Looks every `everyMs` which sessions the release process waits for, on a connection of its own, and reports them: at once when they change, otherwise every
 * 30 s. A release that ends before the first look opens no connection.
 *
 * @param report receives a sentence for an operator.
 */
export function watchLocks(
  options: DatabaseOptions,
  everyMs: number,
  report: (line: string) => void,
): LockWatch {
  let client: pg.Client | undefined
  let blockers: readonly Blocker[] = []
  let reported = { who: '', at: 0 }
  let isFirst = true

  async function open(): Promise<pg.Client> {
    const opened = new pg.Client({
      ...connectionConfig(options),
      application_name: RELEASE_NAME,
      query_timeout: 5_000,
    })
    opened.on('error', close)
    await opened.connect()
    client = opened
    return opened
  }

  function close(): void {
    void client?.end().catch(() => undefined)
    client = undefined
  }

  async function look(): Promise<void> {
    if (isFirst) {
      isFirst = false
      return
    }
    const found = await findBlockers(client ?? (await open()), RELEASE_NAME)
    if (found.length === 0) return
    blockers = found
    const who = found.map(({ pid }) => pid).join()
    if (who === reported.who && performance.now() - reported.at < REPEAT_MS) return
    reported = { who, at: performance.now() }
    report(`Waits for a lock of ${found.map(describeBlocker).join(', ')}`)
  }

  const looking = repeat(everyMs, look, close)
  return {
    get blockers() {
      return blockers
    },
    async [Symbol.asyncDispose]() {
      await looking.stop()
      await client?.end()
    },
  }
}
