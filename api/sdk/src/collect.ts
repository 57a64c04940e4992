import type { Receipt, StartOptions } from './api.ts'
import { readFacts, readLateFacts } from './facts.ts'
import { type Fields, openFields } from './fields.ts'
import { openJournal, randomText, type Session } from './journal.ts'
import { acquire } from './lock.ts'
import { type Outbox, openOutbox, withdraw } from './outbox.ts'
import { record, tenth } from './recorder.ts'
import { redactPath } from './redact.ts'
import { type Refusal, refusal } from './request.ts'
import { count, openBuffer } from './segments.ts'
import type { CaptureEvent, Consent, Graphics } from './wire.ts'

const SEAL_MS = 5_000
/** Between two updates of the segment that the browser sends when the page crashes. */
const DEFER_MS = 300
/** The server ends a collection that is silent for longer. */
const ABANDONED_MS = 30 * 60_000
/** A page that is left releases its lock a moment after the next one asks for it. */
const LOCK_MS = 300
/** Before segments of earlier sessions are sent, and between attempts. */
const DRAIN_MS = 20_000

/** A session of the page; begins when the user has agreed. */
export interface Collector {
  readonly id: string | undefined
  page(path?: string): void
  stop(): void
  complete(): Promise<Receipt>
  withdraw(): void
}

/** @throws if `ignore` is not a selector. */
export function collect(
  options: StartOptions,
  consent: Consent,
  loadGraphics: () => Promise<() => Promise<Graphics>>,
): Collector {
  const { key, token, referenceNumber } = options
  const journal = openJournal(key, () => localStorage)
  const buffer = openBuffer(options.beforeSend)
  const identity = token ? `t:${token.slice(-32)}` : referenceNumber && `r:${encodeURIComponent(referenceNumber)}`

  let name = identity
  let session: Session | undefined
  let outbox: Outbox | undefined
  let fields: Fields | undefined
  let stopRecording: (() => void) | undefined
  /** Set while this page has the session. */
  let release: (() => void) | undefined
  let waiting: AbortController | undefined
  let stopped = false
  let result: Receipt | Refusal | undefined
  let completion: PromiseWithResolvers<Receipt> | undefined
  let lastT = 0
  let sealTimer: ReturnType<typeof setTimeout> | undefined
  let deferTimer: ReturnType<typeof setTimeout> | undefined

  const clock = (timeStamp: number): number =>
    tenth(Math.max(0, performance.timeOrigin + timeStamp - (session?.at ?? 0)))
  const lock = (one: string, signal: AbortSignal) => acquire(`inkling:${key}:${one}`, signal)

  function emit(event: CaptureEvent): void {
    if (!release || !session || stopped) return
    const gap = event.t - lastT
    lastT = Math.max(lastT, event.t)
    if (count(session, gap)) arm(buffer.add(event))
  }

  function arm(full?: boolean): void {
    if (full) clearTimeout(sealTimer)
    if (full || !sealTimer) sealTimer = setTimeout(seal, full ? 0 : SEAL_MS)
    if ('fetchLater' in window) deferTimer ??= setTimeout(defer, DEFER_MS)
  }

  /** Has the browser send what is not sealed, should the page crash; on the next page its number counts as used. */
  function defer(): void {
    deferTimer = undefined
    if (!session || !release || buffer.isEmpty()) return
    outbox?.later(session.n, buffer.text(session))
    if (name) journal.save(name, { ...session, n: session.n + 1 })
  }

  function seal(): void {
    clearTimeout(sealTimer)
    clearTimeout(deferTimer)
    sealTimer = deferTimer = undefined
    if (!session || !release || !name || !outbox) return
    fields?.scan()
    if (!buffer.isEmpty()) {
      const segment = buffer.text(session)
      buffer.clear()
      session.seen = Date.now()
      if (segment) outbox.put(session.n++, segment)
    }
    outbox.later(0, undefined)
    journal.save(name, session)
    void outbox.pump()
  }

  function page(path = location.pathname): void {
    const target = redactPath(path)
    const t = clock(performance.now())
    buffer.view({ path: target, t })
    emit({ t, type: 'page', target })
  }

  /** Takes up the session that a page before has left, or begins one. */
  async function choose(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (name) return lock(name, signal)
    for (const one of journal.sessions()) {
      const left = journal.load(one)
      if (one.includes(':') || !left || left.done || Date.now() - left.seen > ABANDONED_MS) continue
      const got = await lock(one, AbortSignal.any([signal, AbortSignal.timeout(LOCK_MS)]))
      if (got) {
        name = one
        return got
      }
    }
    name = randomText()
    return lock(name, signal)
  }

  function begin(): Session {
    const now = Date.now()
    return {
      ...{ nonce: randomText(), at: now, seen: now, n: 0, fields: [], events: 0, dropped: 0, activeMs: 0 },
      open: {
        device: journal.device(),
        ...(token && { token }),
        ...(referenceNumber && { referenceNumber }),
        consent,
      },
    }
  }

  /** Waits until this page has the session, and goes on with it. */
  async function resume(): Promise<void> {
    if (release || waiting || result) return
    waiting = new AbortController()
    const got = await choose(waiting.signal)
    waiting = undefined
    if (!got || !name) return
    if (result) return got()
    release = got
    session = journal.load(name) ?? session ?? begin()
    stopped ||= !!session.done
    outbox = openOutbox(options, journal, name, session, settle, outbox?.pending)
    if (stopRecording) emit({ t: clock(performance.now()), type: 'visibility', phase: 'visible' })
    else if (!stopped) listen(session)
    seal()
  }

  function listen({ fields: known }: Session): void {
    fields = openFields(options.ignore, known, buffer.field)
    stopRecording = record(fields, clock, emit)
    page()
    // not in the task in which the page starts
    setTimeout(async () => {
      buffer.fact({ ...readFacts(options), consent })
      arm()
      buffer.fact(await readLateFacts(options))
      if (options.modules?.includes('graphics'))
        buffer.fact({ web: { graphics: await (await loadGraphics())() } })
      arm()
    })
  }

  /** Sends what there is, and lets another page have the session. */
  function pause(leaving: boolean): void {
    waiting?.abort()
    if (!release || !outbox) return
    emit({ t: clock(performance.now()), type: 'visibility', phase: 'hidden' })
    seal()
    outbox.flush()
    if (completion && !result && !leaving) return
    outbox.pause()
    release()
    release = undefined
  }

  function settle(one: Receipt | Refusal): void {
    if (result) return
    result = one
    end()
    if (name) journal.erase(name)
    if (one instanceof Error) completion?.reject(one)
    else completion?.resolve(one)
  }

  function end(): void {
    stopped = true
    clearTimeout(sealTimer)
    clearTimeout(deferTimer)
    buffer.clear()
    outbox?.later(0, undefined)
    outbox?.pause()
    stopRecording?.()
    stopRecording = undefined
    removeEventListener('visibilitychange', onVisibility, true)
    removeEventListener('pagehide', onHide)
    removeEventListener('pageshow', onVisibility)
    removeEventListener('online', onOnline)
    removeEventListener('storage', onStorage)
    waiting?.abort()
    release?.()
    release = undefined
  }

  /** Sends what earlier sessions have left, once no page has them. */
  async function drain(): Promise<void> {
    let left = false
    for (const one of journal.sessions()) {
      const other = one === name ? undefined : journal.load(one)
      const got = other && (await lock(one, AbortSignal.timeout(LOCK_MS)))
      if (!got || !other) continue
      const over = () => journal.erase(one)
      const theirs = openOutbox(options, journal, one, other, over)
      await theirs.pump()
      theirs.pause()
      if (theirs.pending.size || other.done) left = true
      else if (Date.now() - other.seen > ABANDONED_MS) over()
      got()
    }
    if (left) setTimeout(drain, DRAIN_MS)
  }

  const onHide = () => pause(true)
  const onVisibility = () => {
    if (document.visibilityState === 'hidden') pause(false)
    else if (!stopped) void resume()
  }
  const onOnline = () => void outbox?.pump()
  const onStorage = ({ key: changed, newValue }: StorageEvent) => {
    if (name && changed === `inkling:${key}:${name}` && newValue === null) settle(refusal('ended_elsewhere'))
  }

  addEventListener('visibilitychange', onVisibility, true)
  addEventListener('pagehide', onHide)
  addEventListener('pageshow', onVisibility)
  addEventListener('online', onOnline)
  addEventListener('storage', onStorage)
  onVisibility()
  setTimeout(drain, DRAIN_MS / 20)

  return {
    get id() {
      return session?.id
    },
    page,
    stop() {
      seal()
      stopped = true
      stopRecording?.()
      if (!completion) pause(true)
    },
    async complete() {
      if (completion) return completion.promise
      completion = Promise.withResolvers()
      if (result) settleNow()
      else {
        await resume()
        if (session && outbox) {
          seal()
          stopped = true
          session.done = true
          seal()
        }
      }
      return completion.promise
    },
    withdraw() {
      const all = new Map(journal.sessions().map((one) => [one, journal.load(one)]))
      if (session && name) all.set(name, session)
      settle(refusal('withdrawn'))
      journal.eraseAll()
      for (const one of all.values()) if (one) void withdraw(options, one)
    },
  }

  function settleNow(): void {
    if (result instanceof Error) completion?.reject(result)
    else if (result) completion?.resolve(result)
  }
}
