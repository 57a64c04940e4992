import type { Receipt, StartOptions } from './api.ts'
import { type Delivery, openDelivery } from './delivery.ts'
import { type Fields, openFields } from './fields.ts'
import {
  erase,
  loadSession,
  type Pending,
  randomText,
  readDevice,
  type Session,
  saveSession,
  sessionNames,
} from './journal.ts'
import { acquire } from './lock.ts'
import { record } from './recorder.ts'
import { redactPath } from './redact.ts'
import { type Refusal, refusal } from './request.ts'
import { count, emptySegment, tenth } from './totals.ts'
import { turn } from './turn.ts'
import type { CaptureEvent, Consent, Facts, Segment } from './wire.ts'

/** A segment is sealed at this many characters of events, or at this age. */
const SEAL_CHARACTERS = 16_000
const SEAL_MS = 5_000
/** Between two updates of the segment that the browser sends when the page crashes. */
const DEFER_MS = 300
/** The server ends a collection that is silent for longer. */
const ABANDONED_MS = 30 * 60_000

/** Loads a module that reads signals, one after the other. */
export type LoadModule = (name: 'facts' | 'graphics') => Promise<{
  read(options: StartOptions, path: string): AsyncIterable<Facts>
}>

/** A session of the page. */
export interface Collector {
  readonly id: string | undefined
  page(path?: string): void
  stop(): void
  complete(referenceNumber?: string): Promise<Receipt>
  withdraw(): void
}

/** What was recorded since the last sealed segment. */
type Tail = Required<Pick<Segment, 'events' | 'fields' | 'views'>> & Pick<Segment, 'facts'>

const emptyTail = (): Tail => ({ events: [], fields: [], views: [] })

/** Begins to record; the user has agreed. @throws if `ignore` is not a selector. */
export function collect(options: StartOptions, agreed: Consent | undefined, load: LoadModule): Collector {
  const { key, token, referenceNumber, beforeSend, modules = [] } = options
  const prefix = `inkling:${key}:`
  /** Aborted when the session ends, and when the recording does. */
  const life = new AbortController()
  const recording = new AbortController()
  const { signal } = life
  const { promise, resolve } = Promise.withResolvers<Receipt>()
  promise.catch(() => {}) // a page need not call complete()

  const identity = token?.slice(-32) ?? referenceNumber
  let name = identity ? `${prefix}=${encodeURIComponent(identity)}` : ''
  let session: Session
  let pending: Pending = new Map()
  let delivery: Delivery | undefined
  let fields: Fields | undefined
  /** Set while this page has the session. */
  let release: (() => void) | undefined
  /** Set where the page may be left: it records on, for the case that it stays. */
  let leaving = false
  let waiting: AbortController | undefined
  let owning = Promise.resolve()
  let ending: { referenceNumber?: string } | undefined
  let tail = emptyTail()
  let size = 0
  let lastT = 0
  let sealTimer: ReturnType<typeof setTimeout> | undefined
  let deferTimer: ReturnType<typeof setTimeout> | undefined

  const clock = (timeStamp = performance.now()): number =>
    tenth(Math.max(0, performance.timeOrigin + timeStamp - session.at))

  function emit(event: CaptureEvent): void {
    if (!(release || leaving) || recording.signal.aborted) return
    const gap = event.t - lastT
    if (gap > 0) lastT = event.t
    if (!count(session, gap)) return
    tail.events.push(event)
    size += JSON.stringify(event).length
    if (size > SEAL_CHARACTERS) seal()
    else schedule()
  }

  function schedule(): void {
    sealTimer ??= setTimeout(seal, SEAL_MS)
    if ('fetchLater' in self) deferTimer ??= setTimeout(defer, DEFER_MS)
  }

  function addFacts(more: Facts): void {
    const { facts } = tail
    tail.facts = {
      ...facts,
      ...more,
      web: { ...facts?.web, ...more.web },
    }
    schedule()
  }

  /** Returns what was recorded as JSON; undefined if there is nothing, or the page discards it. */
  function segmentText(): string | undefined | null {
    const { events, fields: met, facts } = tail
    if (!events.length && !met.length && !facts) return undefined
    let segment: Segment | null = { ...emptySegment(session), ...tail }
    if (beforeSend)
      try {
        segment = beforeSend(structuredClone(segment))
      } catch (error) {
        reportError(error) // of the page's function: nothing is sent that it has not passed
        segment = null
      }
    return segment && JSON.stringify({ ...segment, n: session.n })
  }

  /** Has the browser send what is not sealed, should the page crash; for the next page its number is used. */
  function defer(): void {
    deferTimer = undefined
    const segment = release && segmentText()
    if (!segment) return
    delivery?.later(segment)
    saveSession(name, { ...session, n: session.n + 1 }, pending)
  }

  /** @param left sends at once and uncompressed */
  function seal(left?: boolean): void {
    clearTimeout(sealTimer)
    clearTimeout(deferTimer)
    sealTimer = deferTimer = undefined
    if (!release) return
    fields?.scan()
    const segment = segmentText()
    tail = emptyTail()
    size = 0
    // until it is sent, the browser has it for the case of a crash
    delivery?.later(left ? undefined : segment)
    if (segment) pending.set(session.n++, segment)
    session.seen = Date.now()
    saveSession(name, session, pending)
    if (left) delivery?.flush()
    else delivery?.pump()
  }

  function page(path = location.pathname): void {
    if (!release) return
    const target = redactPath(path)
    const t = clock()
    tail.views.push({ path: target, t })
    emit({ t, type: 'page', target })
  }

  const visibility = (phase: string) => emit({ t: clock(), type: 'visibility', phase })

  function begin(): Session {
    const at = Date.now()
    tail.facts = { consent: { basis: 'consent', at: new Date(at).toISOString(), ...agreed } }
    return {
      ...{ nonce: randomText(), at, seen: at, n: 0, fields: [], events: 0, dropped: 0, activeMs: 0 },
      hold: options.hold,
      open: { device: readDevice(), token, referenceNumber },
    }
  }

  /** Acquires the session that an earlier page has left, or a new one. */
  async function take(aborted: AbortSignal): Promise<(() => void) | undefined> {
    for (const one of name ? [] : sessionNames(prefix)) {
      const [left] = loadSession(one) ?? []
      const got =
        left &&
        !left.end &&
        !one.includes('=') &&
        Date.now() - left.seen < ABANDONED_MS &&
        (await acquire(one))
      if (got) {
        name = one
        return got
      }
    }
    name ||= prefix + randomText()
    return acquire(name, aborted)
  }

  /** Waits until this page has the session, and goes on with it, in tasks of a few milliseconds. */
  async function own(): Promise<void> {
    const isOver = recording.signal.aborted && !session?.end
    if (release || signal.aborted || (!ending && (isOver || document.hidden))) return
    waiting = new AbortController()
    const wait = waiting.signal
    const got = await take(wait)
    if (!got || wait.aborted) return got?.()
    release = got
    const stored = loadSession(name)
    // what could not be written, because the storage is full, is ahead of what is stored
    if (stored && stored[0].n >= (session?.n ?? 0)) [session, pending] = stored
    else session ??= begin()
    delivery = openDelivery(options, name, session, pending, settle)
    await turn()
    if (!release) return
    if (session.end) recording.abort()
    else if (fields) visibility('visible')
    else listen()
    await turn()
    seal()
    void drain()
  }

  async function resume(): Promise<void> {
    owning = owning.then(own)
    await owning
    if (!release || !ending) return
    session.hold = false
    session.open.referenceNumber ??= ending.referenceNumber
    session.end = 'complete'
    seal()
    recording.abort()
  }

  function listen(): void {
    fields = openFields(
      options.ignore,
      () => session.fields,
      (field) => tail.fields.push(field),
      recording.signal,
    )
    record(fields, clock, emit, recording.signal)
    page()
    readSignals().catch(() => {}) // the page's policy may forbid to load them
  }

  async function readSignals(): Promise<void> {
    for (const module of ['facts', ...modules] as const) {
      await turn()
      for await (const facts of (await load(module)).read(options, redactPath(location.pathname))) {
        addFacts(facts)
        await turn()
      }
    }
  }

  function free(): void {
    leaving = false
    waiting?.abort()
    delivery?.pause()
    release?.()
    release = undefined
  }

  /** Sends what there is, and lets another page have the session. */
  function pause(left?: boolean): void {
    if (release) {
      visibility('hidden')
      seal(true)
      if (session.end && !left) return
    }
    free()
  }

  /** Ends the session. */
  function settle(result: Receipt | Refusal): void {
    resolve(result instanceof Error ? Promise.reject(result) : result)
    life.abort()
    recording.abort()
    delivery?.later()
    if (release) erase(name)
    free()
  }

  const deliveryOf = (one: string, left: Session, segments: Pending) =>
    openDelivery(options, one, left, segments, () => erase(one))

  /** Sends what earlier sessions have left that no page has. */
  async function drain(): Promise<void> {
    for (const one of sessionNames(prefix)) {
      const got = one !== name && (await acquire(one))
      const stored = got && loadSession(one)
      if (stored) {
        const theirs = deliveryOf(one, ...stored)
        await theirs.pump()
        theirs.pause()
        const [{ hold, seen }, { size: left }] = stored
        if ((hold || !left) && Date.now() - seen > ABANDONED_MS) erase(one)
      }
      if (got) got()
    }
  }

  function show(): void {
    if (document.hidden) pause()
    else void resume()
  }

  const on = <Type extends keyof WindowEventMap>(type: Type, act: (event: WindowEventMap[Type]) => void) =>
    addEventListener(type, act, { signal })
  on('visibilitychange' as 'pageshow', show) // of the document; it bubbles
  on('pageshow', show)
  on('pagehide', () => pause(true))
  // Firefox keeps a page for the way back only if it had no lock before; most often the page is left indeed
  on('beforeunload', () => {
    pause(true)
    leaving = true // a download, or an address of another program: the page stays
    setTimeout(show, 1_000)
  })
  on('online', () => delivery?.pump())
  // another page has ended the session
  on('storage', ({ key: changed, newValue }) => changed === name && !newValue && settle(refusal('ended')))
  show()

  return {
    get id() {
      return session?.id
    },
    page,
    stop() {
      recording.abort()
      if (!session?.end) pause()
    },
    complete(number) {
      ending = { referenceNumber: number }
      void resume()
      return promise
    },
    withdraw() {
      const all = new Map(sessionNames(prefix).map((one) => [one, loadSession(one)]))
      if (session) all.set(name, [session, pending])
      settle(refusal('withdrawn'))
      for (const [one, stored] of all) {
        erase(one)
        const [left] = stored ?? []
        if (!left || left.hold) continue
        left.end = 'withdraw'
        saveSession(one, left, new Map())
        void deliveryOf(one, left, new Map()).pump()
      }
      erase()
    },
  }
}
