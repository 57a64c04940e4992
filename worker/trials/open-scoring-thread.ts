import { Worker } from 'node:worker_threads'
import type { ScoredFeatures } from '../../db/datasets/insights.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import type { DryRun, VerifiedRows } from '../../db/scorecards/definition/trial-result.ts'
import { MAX_MISMATCHES } from './verify-rows.ts'

export type ScoringRequest =
  | { readonly kind: 'start' }
  | { readonly kind: 'verify'; readonly from: number; readonly to: number }
  | { readonly kind: 'score'; readonly rows: readonly ScoredFeatures[] }
  | { readonly kind: 'summarize' }

export type ScoringReply = { readonly result: unknown } | { readonly error: string }

/** Rows per request: those of a definition at its limit take 2 s. */
const STEP_ROWS = 100

/** Limits of what evaluates a definition. */
export interface ScoringLimits {
  /** For each request, of at most `STEP_ROWS` rows. */
  readonly deadlineMs: number
  readonly heapMb: number
}

/** A definition of 8 MB takes 100 MB, beside its champion. */
const LIMITS: ScoringLimits = { deadlineMs: 20_000, heapMb: 384 }

/** A definition could not be evaluated within its limits, or not at all. The message is for a person. */
export class ScoringError extends Error {
  override name = 'ScoringError'
}

/** Scores with a definition in a thread of its own. Each call throws a ScoringError if the definition exceeds a limit. */
export interface ScoringThread extends AsyncDisposable {
  /** Scores every verification row. `pause` is awaited before each step. */
  verify(pause?: Pause): Promise<VerifiedRows>
  /** Scores captures; `pause` is awaited before each step. */
  score(rows: readonly ScoredFeatures[], pause?: Pause): Promise<void>
  summarize(): Promise<DryRun>
}

type Pause = () => Promise<void> | undefined

/** Compiles a definition, and the champion's to compare with, in a thread. */
export async function openScoringThread(
  definition: Scorecard,
  champion: Scorecard | undefined,
  { deadlineMs, heapMb } = LIMITS,
): Promise<ScoringThread> {
  const thread = new Worker(new URL('./scoring-thread.ts', import.meta.url), {
    workerData: { definition, champion },
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32 },
  })
  thread.on('error', () => undefined) // of the request in progress, which rejects

  function ask(request: ScoringRequest, what: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timeout)
        thread.off('message', onMessage).off('error', onError).off('exit', onExit)
        settle()
      }
      const fail = (why: string) => finish(() => reject(new ScoringError(why)))
      const timeout = setTimeout(() => {
        fail(`The definition takes too long: ${what} took more than ${deadlineMs / 1_000} s`)
        void thread.terminate()
      }, deadlineMs)
      const onMessage = (reply: ScoringReply) =>
        'error' in reply ? fail(reply.error) : finish(() => resolve(reply.result))
      const onError = (error: Error & { code?: string }) =>
        fail(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? `The definition takes too much memory: ${what} took more than ${heapMb} MB`
            : error.message,
        )
      const onExit = () => fail(`The thread ended during ${what}`)
      thread.on('message', onMessage).on('error', onError).on('exit', onExit)
      thread.postMessage(request)
    })
  }

  const opened: ScoringThread = {
    async verify(pause) {
      const total = definition.verification.length
      const all: VerifiedRows = { rows: total, matched: 0, mismatches: [] }
      for (let from = 0; from < total; from += STEP_ROWS) {
        await pause?.()
        const to = Math.min(total, from + STEP_ROWS)
        const part = (await ask(
          { kind: 'verify', from, to },
          `verification rows ${from + 1} to ${to}`,
        )) as VerifiedRows
        all.matched += part.matched
        all.mismatches.push(...part.mismatches.slice(0, MAX_MISMATCHES - all.mismatches.length))
      }
      return all
    },
    async score(rows, pause) {
      for (let from = 0; from < rows.length; from += STEP_ROWS) {
        await pause?.()
        const step = rows.slice(from, from + STEP_ROWS)
        await ask({ kind: 'score', rows: step }, `scoring ${step.length} captures`)
      }
    },
    summarize: () => ask({ kind: 'summarize' }, 'the summary') as Promise<DryRun>,
    async [Symbol.asyncDispose]() {
      await thread.terminate()
    },
  }
  try {
    await ask({ kind: 'start' }, 'compiling')
  } catch (error) {
    await thread.terminate()
    throw error
  }
  return opened
}
