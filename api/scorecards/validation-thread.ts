/** Thread that validates one definition and exits. `workerData` is the definition as received. */

import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { versionOf } from '../../db/scorecards/definition/version.ts'
import { parse } from '../http/parse.ts'
import { Problem } from '../http/problem.ts'
import type { ValidationResult } from './validate-definition.ts'

function validate(definition: unknown): ValidationResult {
  try {
    const parsed = parse(z.object({ definition: Scorecard }), { definition }).definition
    return { version: versionOf(parsed), definition: JSON.stringify(parsed) }
  } catch (error) {
    if (error instanceof Problem) return { errors: error.options.errors ?? {} }
    if (error instanceof RangeError) return { errors: { definition: ['is nested too deeply'] } }
    throw error
  }
}

parentPort?.postMessage(validate(workerData))
