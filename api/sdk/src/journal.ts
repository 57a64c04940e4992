import type { Consent } from './wire.ts'

export interface Opening {
  device: string
  token?: string
  referenceNumber?: string
  consent: Consent
}

/** What continues on the next page, or when the browser is opened again. Kept until the server has all of the collection. */
export interface Session {
  /** Names the collection before the server does. */
  nonce: string
  /** When it started, and when its last segment was sealed, in milliseconds since 1970. */
  at: number
  seen: number
  /** Number of the next segment. */
  n: number
  /** Of the collection, once the server has answered. */
  id?: string
  /** What the server is sent to open it, until it has answered. */
  open?: Opening
  /** Kind and name of each field that was met. */
  fields: string[]
  events: number
  dropped: number
  activeMs: number
  resolutionMs?: number
  /** The page has called `complete()`. */
  done?: boolean
}

/** Sealed segments and sessions in the browser's storage, or only in memory where there is none. */
export interface Journal {
  sessions(): string[]
  load(session: string): Session | undefined
  save(session: string, state: Session): void
  /** Segments that the server has not confirmed, by number. */
  segments(session: string): Map<number, string>
  put(session: string, n: number, segment: string): void
  remove(session: string, n: number): void
  /** Removes a session and its segments. */
  erase(session: string): void
  /** The random value that names the browser, made when it is first read. */
  device(): string
  /** Removes all of the site key's, and the value that names the browser. */
  eraseAll(): void
}

/** Whether a storage key is that of a session: those of segments end in `#` and a number. */
const SEGMENT = /#(\d+)$/

export const randomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** @param storage may throw when it is read, as browsers do that block storage */
export function openJournal(siteKey: string, storage: () => Storage): Journal {
  const prefix = `inkling:${siteKey}:`
  const deviceName = 'inkling:device'

  const attempt = <Result>(act: (storage: Storage) => Result): Result | undefined => {
    try {
      return act(storage())
    } catch {
      return undefined // blocked or full: delivery goes on from memory
    }
  }
  const write = (name: string, text: string) => attempt((one) => one.setItem(name, text))
  const erase = (name: string) => attempt((one) => one.removeItem(name))
  const read = (name: string) => attempt((one) => one.getItem(name)) ?? undefined
  const names = (start: string) =>
    attempt((one) => Object.keys(one).filter((name) => name.startsWith(start))) ?? []
  const segmentsOf = (session: string) =>
    names(`${prefix + session}#`).flatMap((name) => {
      const [, n] = SEGMENT.exec(name) ?? []
      return n ? [[Number(n), name] as const] : []
    })

  const eraseSession = (session: string) => {
    for (const [, name] of segmentsOf(session)) erase(name)
    erase(prefix + session)
  }

  return {
    sessions: () =>
      names(prefix)
        .filter((name) => !SEGMENT.test(name))
        .map((name) => name.slice(prefix.length)),
    load(session) {
      const text = read(prefix + session)
      return text === undefined ? undefined : JSON.parse(text)
    },
    save: (session, state) => write(prefix + session, JSON.stringify(state)),
    segments: (session) =>
      new Map(
        segmentsOf(session)
          .toSorted(([a], [b]) => a - b)
          .map(([n, name]) => [n, read(name) ?? '']),
      ),
    put: (session, n, segment) => write(`${prefix + session}#${n}`, segment),
    remove: (session, n) => erase(`${prefix + session}#${n}`),
    erase: eraseSession,
    device() {
      const known = read(deviceName)
      if (known !== undefined) return known
      const made = randomText()
      write(deviceName, made)
      return made
    },
    eraseAll() {
      for (const name of [...names(prefix), deviceName]) erase(name)
    },
  }
}
