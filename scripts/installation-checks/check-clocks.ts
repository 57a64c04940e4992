import { checkClock } from '../../db/checks/check-clock.ts'
import { readRedisState } from '../../db/checks/redis-state.ts'
import type { Check } from './check.ts'

/** Compares the clocks of Postgres and Redis with that of this machine. */
export const checkClocks: Check = {
  name: 'clocks',
  async run({ postgres, settings, redis }) {
    await postgres()
    const others = [{ name: 'Postgres', aheadMs: (await settings()).aheadMs }]
    const states = await redis()
      .then((servers) => Promise.all(servers.map(readRedisState)))
      .catch(() => []) // the check of redis has the reason
    for (const { server, aheadMs } of states)
      if (aheadMs !== undefined) others.push({ name: server, aheadMs })
    return {
      saw: `this machine, ${others.map(({ name }) => name).join(', ')}`,
      findings: others.flatMap(({ name, aheadMs }) => checkClock(name, aheadMs)),
    }
  },
}
