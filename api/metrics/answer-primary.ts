import type { Registry } from 'prom-client'
import { Question } from './cluster-messages.ts'

/**
 * Sends the metrics of this process of a cluster whenever its primary asks for them.
 *
 * @returns a function that sends them once more, before the process ends; it resolves even if the primary has ended.
 */
export function answerPrimary(registry: Registry): () => Promise<void> {
  async function answer(): Promise<void> {
    const metrics = await registry.getMetricsAsJSON()
    await new Promise<void>((resolve) => {
      if (process.send && process.connected)
        process.send({ type: 'inkling:metrics', metrics }, () => resolve())
      else resolve()
    })
  }
  process.on('message', (message) => {
    if (Question.safeParse(message).success) void answer()
  })
  return answer
}
