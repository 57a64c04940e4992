import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { Problem } from '../http/problem.ts'

/** Result of a validation: the version and normalised JSON of a valid definition, or its errors. */
export type ValidationResult =
  | { readonly version: string; readonly definition: string }
  | { readonly errors: Readonly<Record<string, readonly string[]>> }

/** A definition of 300 trees takes 0.3 s, one of 100 characteristics with 400 bins each 1 s. */
export const VALIDATION_MS = 20_000

/** A definition of 8 MB takes some 200 MB. */
const MAX_HEAP_MB = 512

const MAX_CONCURRENT = 2
const MAX_WAITING = 10

/** Validates a definition. @throws Problem `validation_failed` with every error and its path, `overloaded`. */
export type ValidateDefinition = (definition: unknown) => Promise<{ version: string; definition: string }>

/**
 * Opens validation in worker threads: checking that each value has exactly one bin takes up to seconds, in which the main
 * thread would accept no upload.
 */
export function openDefinitionValidator(): ValidateDefinition {
  const limit = pLimit(MAX_CONCURRENT)
  return async (definition) => {
    if (limit.pendingCount >= MAX_WAITING) throw new Problem('overloaded', { retryAfterSeconds: 5 })
    const result = await limit(() => validateInThread(definition))
    if ('errors' in result) throw new Problem('validation_failed', { errors: result.errors })
    return result
  }
}

const TOO_BIG: ValidationResult = {
  errors: { definition: ['takes too long or too much memory to validate; use fewer bins or trees'] },
}

const TOO_DEEP: ValidationResult = { errors: { definition: ['is nested too deeply'] } }

/** Starts a thread; undefined for a definition that is nested too deeply to be passed to it. */
function startThread(definition: unknown): Worker | undefined {
  try {
    return new Worker(new URL('./validation-thread.ts', import.meta.url), {
      workerData: definition,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

async function validateInThread(definition: unknown): Promise<ValidationResult> {
  const thread = startThread(definition)
  if (!thread) return TOO_DEEP
  return new Promise<ValidationResult>((resolve, reject) => {
    const timeout = setTimeout(() => resolve(TOO_BIG), VALIDATION_MS)
    thread.once('message', resolve)
    thread.once('error', (error: Error & { code?: string }) =>
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve(TOO_BIG) : reject(error),
    )
    thread.once('exit', () => {
      clearTimeout(timeout)
      reject(new Error('The validation thread exited without a result'))
    })
  }).finally(() => void thread.terminate())
}
