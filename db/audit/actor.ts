/** Kinds of callers. Published: never renamed. */
export const ACTOR_KINDS = ['user', 'key', 'operator', 'service'] as const

/** The caller who did something, as records keep it. */
export interface Actor {
  /** `service` is this service itself, such as retention. */
  readonly kind: (typeof ACTOR_KINDS)[number]
  /** Id of the user, the key, or the account of an operator at `/ops`; null for the others. */
  readonly id: number | null
  /** E-mail of a user, label of a key, name of an operator's account, at `/ops` or of the operating system, or task of the service. */
  readonly name: string
  /** Address that the request came from, if there was a request. */
  readonly address?: string | undefined
}

/**
 * Returns the text that names an actor in records: a user's e-mail, a key's label, `operator` with the account, or the service's
 * task. A label that could be taken for another kind of actor follows the id of its key.
 */
export function actorText({ kind, id, name }: Actor): string {
  if (kind === 'operator') return `operator ${name}`.trim()
  if (kind !== 'key') return name
  if (name === '') return `API key ${id}`
  return looksLikeEmail(name) || OTHER_KINDS.test(name) ? `API key ${id}: ${name}` : name
}

/** Texts of operators, of the service, and of other keys. */
const OTHER_KINDS = /^\s*(operator|retention|single sign-on|API key)\b/i

/** Whether a label looks like an e-mail address, also in full-width or with invisible characters. */
export const looksLikeEmail = (label: string): boolean =>
  /\S@\S/.test(label.normalize('NFKC').replaceAll(/\p{Cf}/gu, ''))

/** Message that refuses such a label, after the name of the member. */
export const LABEL_NOT_EMAIL = 'must not look like an e-mail address, since records name people by theirs'
