/** Thread that scores with one definition, and for comparison with its champion, until it is ended. @see open-scoring-thread.ts */

import { parentPort, workerData } from 'node:worker_threads'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { compileScorecard } from '../scoring/compile-scorecard.ts'
import { openBacktest } from './backtest.ts'
import type { ScoringReply, ScoringRequest } from './open-scoring-thread.ts'
import { verifyRows } from './verify-rows.ts'

const { definition, champion: championDefinition } = workerData as {
  readonly definition: Scorecard
  readonly champion: Scorecard | undefined
}

function openScoring() {
  const candidate = compileScorecard(definition)
  const champion = championDefinition && compileScorecard(championDefinition)
  const backtest = openBacktest(definition)
  return (request: ScoringRequest): unknown => {
    if (request.kind === 'verify') return verifyRows(definition, candidate, request.from, request.to)
    if (request.kind === 'summarize') return backtest.summarize()
    if (request.kind === 'start') return undefined
    for (const { platform, features: json } of request.rows) {
      if (!definition.platforms.includes(platform)) {
        backtest.skip()
        continue
      }
      const features = JSON.parse(json) // written by the worker
      backtest.add(candidate.score(features, platform), champion?.score(features, platform))
    }
    return undefined
  }
}

/** What an error is to a person; a program's own errors have their stack in the log instead. */
const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error))

let scoring: ReturnType<typeof openScoring> | undefined
parentPort?.on('message', (request: ScoringRequest) => {
  let reply: ScoringReply
  try {
    scoring ??= openScoring()
    reply = { result: scoring(request) }
  } catch (error) {
    reply = { error: describe(error) }
  }
  parentPort?.postMessage(reply)
})
