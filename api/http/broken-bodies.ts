import type { IncomingMessage } from 'node:http'
import type { Problem } from './problem.ts'

const breaks = new WeakMap<IncomingMessage, Problem>()

/** Says that the rest of a request's body will not come. Whoever reads it at this moment hears of it by the event `broken`. */
export function breakBody(request: IncomingMessage, problem: Problem): void {
  breaks.set(request, problem)
  request.emit('broken', problem)
}

/** Why the rest of the body will not come, if so. */
export const findBreak = (request: IncomingMessage): Problem | undefined => breaks.get(request)
