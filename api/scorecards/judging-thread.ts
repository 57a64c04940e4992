/** Thread that judges one definition and exits. `workerData` is the body of the request as received. */

import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { versionOf } from '../../db/scorecards/definition/version.ts'
import { parse } from '../http/parse.ts'
import { Problem } from '../http/problem.ts'
import { parseJson } from '../http/read-json.ts'
import type { Judgement } from './judge-definition.ts'
import { findSizeError } from './scan-definition.ts'
import { Captures } from './scorecard-schemas.ts'

const Request = z.object({ definition: Scorecard, captures: Captures })

function judge(body: Uint8Array): Judgement {
  const tooLarge = findSizeError(body)
  if (tooLarge) return { errors: { definition: [tooLarge] } }
  try {
    const { definition, captures } = parse(Request, parseJson(Buffer.from(body.buffer)))
    return { version: versionOf(definition), definition: JSON.stringify(definition), captures }
  } catch (error) {
    if (error instanceof Problem)
      return error.code === 'malformed_json' ? { malformed: true } : { errors: error.options.errors ?? {} }
    if (error instanceof RangeError) return { errors: { definition: ['is nested too deeply'] } }
    throw error
  }
}

parentPort?.postMessage(judge(workerData))
