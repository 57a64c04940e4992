import { checkClock } from '../../db/checks/check-clock.ts'
import { readRedisState } from '../../db/checks/redis-state.ts'
import type { Check } from './check.ts'

/** Compares the clocks of Postgres and Redis with that of this machine. */
export const checkClocks: Check = {
  name: 'clocks',
  async run({ postgres, settings, redis }) {
    await postgres()
    const others = [{ name: 'Postgres', aheadMs: (await settings()).aheadMs }]
    const state = await redis()
      .then(readRedisState)
      .catch(() => undefined) // the check of redis has the reason
    if (state) others.push({ name: state.server, aheadMs: state.aheadMs })
    return {
      saw: `this machine, ${others.map(({ name }) => name).join(', ')}`,
      findings: others.flatMap(({ name, aheadMs }) => checkClock(name, aheadMs)),
    }
  },
}
