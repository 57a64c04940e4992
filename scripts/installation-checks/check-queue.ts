import { openProducer } from '../../db/queue/producer.ts'
import type { Check } from './check.ts'
import { describeError } from './describe-error.ts'

/** Checks that the queue accepts a job, on Redis or in Postgres. */
export const checkQueue: Check = {
  name: 'queue',
  async run({ queue, tables, variables }) {
    await tables()
    const saw = variables.REDIS_URL === undefined ? 'in Postgres' : 'on Redis'
    const producer = openProducer(queue())
    try {
      await producer.check()
      return { saw: `${saw}, ${await producer.countWaiting()} jobs waiting`, findings: [] }
    } catch (error) {
      const message = `The queue accepts no jobs: ${describeError(error)}. Uploads are accepted, and processed once the queue accepts jobs again`
      const remedy = 'See the findings of redis or postgres'
      return { saw, findings: [{ level: 'error', message, remedy }] }
    } finally {
      await producer.close()
    }
  },
}
