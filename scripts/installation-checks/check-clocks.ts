import { checkClock } from '../../db/checks/check-clock.ts'
import type { Check } from './check.ts'

/** Compares the clocks of Postgres and Redis with that of this machine. */
export const checkClocks: Check = {
  name: 'clocks',
  async run({ postgres, settings, redis }) {
    await postgres()
    const others = [{ name: 'Postgres', aheadMs: (await settings()).aheadMs }]
    // without an answer, the check of redis has the reason
    for (const { server, aheadMs } of await redis().catch(() => []))
      if (aheadMs !== undefined) others.push({ name: server, aheadMs })
    return {
      saw: `this machine, ${others.map(({ name }) => name).join(', ')}`,
      findings: others.flatMap(({ name, aheadMs }) => checkClock(name, aheadMs)),
    }
  },
}
