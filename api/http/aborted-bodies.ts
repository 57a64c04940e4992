import type { IncomingMessage } from 'node:http'
import type { Problem } from './problem.ts'

const aborts = new WeakMap<IncomingMessage, Problem>()

/** Says that the rest of a request's body will not come. Whoever reads it at this moment hears of it by the event `broken`. */
export function abortBody(request: IncomingMessage, problem: Problem): void {
  aborts.set(request, problem)
  request.emit('broken', problem)
}

/** Why the rest of the body will not come, if so. */
export const findAbort = (request: IncomingMessage): Problem | undefined => aborts.get(request)
