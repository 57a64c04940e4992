import type { EventPosition } from '../../db/events/event-position.ts'
import { publicEventId } from '../../db/events/public-event-id.ts'
import type { FailedEvent, WindowOutcome } from '../../db/events/settle-window.ts'
import type { Attempt } from '../../db/events/webhook-deliveries.ts'
import type { DueEvent, DueWindow } from '../../db/events/webhook-window.ts'
import { GIVE_UP_MS, retryTime } from './retry-times.ts'
import type { Answer, Sender } from './send-message.ts'
import { signMessage } from './sign-message.ts'

/** Requests to one receiver at the same time, of different datasets. */
const PARALLEL = 16

/** Failures in a row after which the rest of a window waits. */
const MAX_FAILURES = 5

/** Failed events, of different datasets, with which a receiver that takes nothing is called less often as a whole. */
const FAILING_EVENTS = 3

/** How a window is delivered. */
export interface Delivering {
  readonly send: Sender['send']
  readonly secrets: readonly string[]
  readonly signal: AbortSignal
  /** Is called after each attempt. */
  readonly onAttempt?: ((outcome: 'delivered' | 'failed') => void) | undefined
  /** Makes waiting times shorter, for tests. */
  readonly scale?: number | undefined
}

interface Sent {
  readonly at: Date
  readonly ms: number
  readonly answer: Answer
}

const isDelivered = ({ answer: { status } }: Sent) => status !== null && status >= 200 && status < 300

/**
 * Delivers the events of a window: those of one dataset one after another, others side by side. After a failure, later events of the same dataset
 * are held; after several in a row, the rest of the window waits.
 */
export async function deliverWindow(window: DueWindow, delivering: Delivering): Promise<WindowOutcome> {
  const due = [...window.retries, ...window.next, ...(window.replay?.events ?? [])]
  const groups = [
    ...Map.groupBy(
      due.filter(({ isHeld }) => !isHeld),
      (event) => (event.datasetId === null ? `event ${event.id}` : event.datasetId),
    ).values(),
  ]
  const sent = new Map<DueEvent, Sent>()
  let failuresInARow = 0
  let begun = 0
  const isOver = () => failuresInARow >= MAX_FAILURES || delivering.signal.aborted
  const deliverNextGroups = async () => {
    for (let group = groups[begun++]; group && !isOver(); group = groups[begun++])
      for (const event of group) {
        if (isOver()) break
        const one = await attempt(window.url, event, delivering)
        sent.set(event, one)
        failuresInARow = isDelivered(one) ? 0 : failuresInARow + 1
        delivering.onAttempt?.(isDelivered(one) ? 'delivered' : 'failed')
        if (!isDelivered(one)) break
      }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, groups.length) }, deliverNextGroups))
  return concludeWindow(window, sent, delivering)
}

async function attempt(url: string, event: DueEvent, { send, secrets }: Delivering): Promise<Sent> {
  const at = new Date()
  const beganAt = performance.now()
  const { type, data } = event
  const body = JSON.stringify({ type, timestamp: event.at.toISOString(), data })
  const message = { id: publicEventId(event.publicId), body }
  const answer = await send(url, signMessage(message, secrets, at), body)
  return { at, ms: performance.now() - beganAt, answer }
}

/** Decides what a window's answers mean. */
function concludeWindow(
  { start, next, end, replay, failures, failing, failingSince }: DueWindow,
  sent: ReadonlyMap<DueEvent, Sent>,
  { scale = 1 }: Delivering,
): WindowOutcome {
  const now = new Date()
  const giveUpBefore = now.getTime() - GIVE_UP_MS * scale
  const all = [...sent]
  const delivered = all.filter(([, one]) => isDelivered(one)).map(([event]) => event)
  const isExpired = ({ failedSince }: DueEvent) =>
    failedSince !== null && failedSince.getTime() < giveUpBefore
  const failed = all
    .filter(([, one]) => !isDelivered(one))
    .map(([event, { answer }]): FailedEvent & Pick<Answer, 'retryAt'> => ({
      event,
      dueAt: isExpired(event) ? null : retryTime(event.attempts + 1, { now, retryAt: answer.retryAt, scale }),
      retryAt: answer.retryAt,
    }))
  const first = failed.filter(({ event }) => event.attempts === 0)
  const takesNothing = delivered.length === 0 && failed.length > 0
  const isFailing = takesNothing && (failures > 0 || failing + first.length >= FAILING_EVENTS)
  const retryAt = failed.reduce<Date | undefined>((last, one) => latest(last, one.retryAt), undefined)
  const isDead = takesNothing && failingSince !== null && failingSince.getTime() < giveUpBefore
  const isGone = all.some(([, { answer }]) => answer.status === 410)
  const fresh = passBy(next, { start, end }, sent)
  const replayed = replay && passBy(replay.events, replay, sent)
  return {
    attempts: all.map(([event, one]) => toAttempt(event, one, isExpired(event) && !isDead)),
    delivered,
    failed: isDead || isGone ? failed.map(({ event }) => ({ event, dueAt: now })) : failed,
    held: [...fresh.held, ...(replayed?.held ?? [])],
    reached: fresh.reached,
    replayReached: replayed?.reached,
    failures: isFailing ? failures + 1 : delivered.length > 0 ? 0 : failures,
    dueAt: isFailing ? retryTime(failures + 1, { now, retryAt, scale }) : now,
    disable: isGone ? 'gone' : isDead ? 'failing' : undefined,
  }
}

const toAttempt = (event: DueEvent, sent: Sent, isGivenUp: boolean): Attempt => ({
  ...{ at: sent.at, eventPublicId: event.publicId, type: event.type, attempt: event.attempts + 1 },
  outcome: isDelivered(sent) ? 'delivered' : isGivenUp ? 'given_up' : 'failed',
  ...{ status: sent.answer.status, answer: sent.answer.text, ms: sent.ms },
})

const latest = (a: Date | undefined, b: Date | undefined) => (a && b ? (a > b ? a : b) : (a ?? b))

/**
 * Returns how far a list was delivered, and which events before were passed by: they are held.
 *
 * @param places before and behind the list.
 */
function passBy<End extends EventPosition | null>(
  events: readonly DueEvent[],
  { start, end }: { start: EventPosition; end: End },
  sent: ReadonlyMap<DueEvent, Sent>,
): { reached: EventPosition | End; held: DueEvent[] } {
  const last = events.findLastIndex((event) => sent.has(event) || event.isHeld)
  const isWhole = last === events.length - 1
  const passed = events.slice(0, last + 1)
  const place = passed.at(-1)
  return {
    reached: isWhole ? end : place ? { position: place.position, id: place.id } : start,
    held: passed.filter((event) => !sent.has(event)),
  }
}
