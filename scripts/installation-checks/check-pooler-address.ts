import type { Finding } from '../../db/checks/finding.ts'
import { leadsToPooler } from '../../db/postgres/pooler.ts'
import type { Check } from './check.ts'

/** Checks that a pooler in between is declared, and that the direct address has none. */
export const checkPoolerAddress: Check = {
  name: 'pooler',
  async run({ postgres, database, variables }) {
    await postgres()
    const { directUrl, ...options } = database()
    const [isPooler, isDirectPooler] = await Promise.all([
      leadsToPooler(options),
      directUrl !== undefined && leadsToPooler({ ...options, url: directUrl }),
    ])
    const findings: Finding[] = []
    if (isPooler && directUrl === undefined)
      findings.push({
        level: variables.REDIS_URL === undefined ? 'error' : 'warning',
        message:
          variables.REDIS_URL === undefined
            ? 'DATABASE_URL leads to a pooler, through which the queue in Postgres does not work: web and worker do not start'
            : 'DATABASE_URL leads to a pooler, which may refuse connections or drop the timeouts of statements',
        remedy: 'Set DATABASE_DIRECT_URL to the address of Postgres itself',
      })
    if (isDirectPooler)
      findings.push({
        level: 'error',
        message:
          'DATABASE_DIRECT_URL leads to a pooler: the release process and a queue in Postgres do not work through it',
        remedy:
          'Set DATABASE_DIRECT_URL to the address of Postgres itself, often the same host with port 5432',
      })
    if (!isPooler && directUrl !== undefined)
      findings.push({
        level: 'note',
        message:
          'DATABASE_DIRECT_URL is set, and DATABASE_URL leads to Postgres itself: statements are sent unprepared for a pooler that is not there',
        remedy: 'Remove DATABASE_DIRECT_URL, unless a pooler that forwards its process ids is in between',
      })
    return { saw: isPooler ? 'in between' : 'none in between', findings }
  },
}
