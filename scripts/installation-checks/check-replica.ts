import { setTimeout as delay } from 'node:timers/promises'
import { openReplica, REPLICA_PROBE_MS } from '../../db/postgres/replica.ts'
import type { Check } from './check.ts'
import { describeError } from './describe-error.ts'
import { Skipped } from './skipped.ts'

/** Probes at most: a replica that is a second behind is not read. */
const PROBES = 8

/** Checks that the replica follows this Postgres, as web does before it reads from it. */
export const checkReplica: Check = {
  name: 'replica',
  async run({ postgres, database, variables }) {
    const { DATABASE_REPLICA_URL: url } = variables
    if (url === undefined) throw new Skipped('DATABASE_REPLICA_URL is not set')
    const primary = await postgres()
    const options = { ...database(), url, directUrl: undefined, poolMax: 2 }
    const replica = openReplica(primary, options, () => undefined)
    try {
      for (let probes = 0; probes < PROBES && !replica.isCurrent(); probes++) {
        await replica.probe()
        if (!replica.isCurrent()) await delay(REPLICA_PROBE_MS)
      }
      if (replica.isCurrent()) return { saw: 'less than a second behind', findings: [] }
      const message =
        'The replica is more than a second behind, or follows another server: the primary answers all reads'
      const remedy =
        'On the replica: select pg_is_in_recovery(), pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn(); and read its log'
      return { saw: 'behind', findings: [{ level: 'warning', message, remedy }] }
    } catch (error) {
      const message = `The replica does not answer: ${describeError(error)}. The primary answers all reads`
      return {
        saw: 'nothing',
        findings: [
          { level: 'warning', message, remedy: 'Check DATABASE_REPLICA_URL, and that the replica runs' },
        ],
      }
    } finally {
      await replica.close()
    }
  },
}
