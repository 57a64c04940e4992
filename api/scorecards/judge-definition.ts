import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { Problem } from '../http/problem.ts'

/** A request to save a definition, once it is judged: the version and normalised JSON of a valid definition. */
export interface Judged {
  readonly version: string
  readonly definition: string
  readonly captures: number
}

/** Judged, or why it is rejected. */
export type Judgement =
  | Judged
  | { readonly malformed: true }
  | { readonly errors: Readonly<Record<string, readonly string[]>> }

/** A definition of 300 trees takes 0.3 s, one of 100 characteristics with 400 bins each 1 s. */
export const JUDGING_MS = 20_000

/** Heap of the thread. With its stack, the body and its result, judging takes at most 128 MB of a process. */
const HEAP = { maxOldGenerationSizeMb: 88, maxYoungGenerationSizeMb: 16 }

/** At once: a second one would double the memory. */
const MAX_CONCURRENT = 1
const MAX_WAITING = 3

/**
 * Judges the body of a request to save a definition, which no other thread parses.
 *
 * @throws Problem `validation_failed` with every error and its path, `malformed_json`, `overloaded`.
 */
export type JudgeDefinition = (body: Buffer) => Promise<Judged>

/** Opens judging in a thread, one definition at a time: it takes up to seconds, and memory that must not be web's. */
export function openJudge(heap = HEAP): JudgeDefinition {
  const limit = pLimit(MAX_CONCURRENT)
  return async (body) => {
    if (limit.pendingCount >= MAX_WAITING) throw new Problem('overloaded', { retryAfterSeconds: 5 })
    const judgement = await limit(() => judgeInThread(body, heap))
    if ('malformed' in judgement) throw new Problem('malformed_json')
    if ('errors' in judgement) throw new Problem('validation_failed', { errors: judgement.errors })
    return judgement
  }
}

const TOO_BIG: Judgement = {
  errors: { definition: ['takes too long or too much memory to validate; use fewer bins or trees'] },
}

function judgeInThread(body: Buffer, resourceLimits: typeof HEAP): Promise<Judgement> {
  const bytes = new Uint8Array(body) // a small buffer shares its memory with others
  const thread = new Worker(new URL('./judging-thread.ts', import.meta.url), {
    workerData: bytes,
    transferList: [bytes.buffer],
    resourceLimits,
  })
  return new Promise<Judgement>((resolve, reject) => {
    const timeout = setTimeout(() => resolve(TOO_BIG), JUDGING_MS)
    thread.once('message', resolve)
    thread.once('error', (error: Error & { code?: string }) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve(TOO_BIG) : reject(error),
    )
    thread.once('exit', () => {
      clearTimeout(timeout)
      reject(new Error('The judging thread exited without a result'))
    })
  }).finally(() => thread.terminate())
}
