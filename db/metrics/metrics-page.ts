import type { Registry } from 'prom-client'
import type { Pages } from '../runtime/serve-pages.ts'

/** Metrics in a text format. */
export interface Presented {
  readonly contentType: string
  present(): Promise<string>
}

/** Returns a function that calls `present` once for concurrent calls. */
export function shareConcurrent(present: () => Promise<string>): () => Promise<string> {
  let presenting: Promise<string> | undefined
  return () => {
    presenting ??= present().finally(() => {
      presenting = undefined
    })
    return presenting
  }
}

/** Presents the metrics of this process. */
export const presentedOf = (registry: Registry): Presented => ({
  contentType: registry.contentType,
  present: () => registry.metrics(),
})

/** The page `/metrics`, for Prometheus. */
export const metricsPage = ({ contentType, present }: Presented): Pages => ({
  '/metrics': async (response) => {
    const text = await present()
    response.writeHead(200, { 'Content-Type': contentType }).end(text)
  },
})
