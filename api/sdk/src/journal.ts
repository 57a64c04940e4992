/** What continues on the next page, or when the browser is opened again. Kept until the server has all of it. */
export interface Session {
  /** Names the collection before the server does. */
  nonce: string
  /** When it started, and when its last segment was sealed, in milliseconds since 1970. */
  at: number
  seen: number
  /** Number of the next segment. */
  n: number
  /** Id of the collection, once the server has answered. */
  id?: string
  /** Nothing is sent yet. */
  hold?: boolean
  /** Sent to open the collection. */
  open: { device: string; token?: string; referenceNumber?: string }
  /** Kind and name of each field that was met. */
  fields: string[]
  events: number
  dropped: number
  activeMs: number
  resolutionMs?: number
  /** What the page has asked for. */
  end?: 'complete' | 'withdraw'
}

/** Segments that the server has not confirmed, by number. */
export type Pending = Map<number, string>

const DEVICE = 'inkling:device'

const attempt = <Result>(act: (storage: Storage) => Result): Result | undefined => {
  try {
    return act(localStorage)
  } catch {
    return undefined // blocked or full: what is in memory is still sent
  }
}

/** 128 random bits. */
export const randomText = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

export const sessionNames = (prefix: string): string[] =>
  attempt((storage) => Object.keys(storage).filter((name) => name.startsWith(prefix))) ?? []

/** Writes a session and its segments at once: JSON texts, one a line. */
export const saveSession = (name: string, session: Session, pending: Pending): void =>
  attempt((storage) => storage.setItem(name, [JSON.stringify(session), ...pending.values()].join('\n')))

export function loadSession(name: string): [Session, Pending] | undefined {
  const [session, ...segments] = attempt((storage) => storage.getItem(name))?.split('\n') ?? []
  return session
    ? [JSON.parse(session), new Map(segments.map((text) => [JSON.parse(text).n, text]))]
    : undefined
}

/** Removes a session, or the value that names the browser. */
export const erase = (name = DEVICE): void => attempt((storage) => storage.removeItem(name))

/** Returns the random value that names the browser, which is made when it is first needed. */
export function readDevice(): string {
  const device = attempt((storage) => storage.getItem(DEVICE)) ?? randomText()
  attempt((storage) => storage.setItem(DEVICE, device))
  return device
}
