import type { IncomingMessage } from 'node:http'
import type { Problem } from './problem.ts'

const aborts = new WeakMap<IncomingMessage, Problem>()

/** Marks a request's body as incomplete; a current reader is notified by the event `bodyAborted`. */
export function abortBody(request: IncomingMessage, problem: Problem): void {
  aborts.set(request, problem)
  request.emit('bodyAborted', problem)
}

/** Returns the reason why the body is incomplete, or undefined. */
export const findAbort = (request: IncomingMessage): Problem | undefined => aborts.get(request)
