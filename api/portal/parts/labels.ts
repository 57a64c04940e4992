/** Labels of the API's values, the same on all pages. */

export const STATUS_LABELS = {
  received: 'Processing',
  ready: 'Ready',
  invalid: 'Invalid',
  deleted: 'Deleted',
} as const

export const STATUS_COLORS = { received: 'blue', ready: 'teal', invalid: 'orange', deleted: 'gray' } as const

export const PLATFORM_LABELS = { android: 'Android', ios: 'iOS', web: 'Web' } as const

export const SITE_KEY_LEVEL_LABELS = { open: 'Open', claimed: 'Claimed', verified: 'Verified' } as const

export const USER_ROLE_LABELS = { admin: 'Admin', analyst: 'Analyst' } as const

export const FACTOR_LABELS = { passkey: 'Passkey', totp: 'Authenticator app' } as const

/** What users prove their identity with. */
export const PROOF_LABELS = {
  passkey: 'Passkey',
  totp: 'Code of your authenticator app',
  password: 'Password',
  recovery_code: 'Recovery code',
  sso: 'Single sign-on',
} as const

export const FACTORS_REQUIRED_LABELS = { nobody: 'Nobody', admins: 'Admins', everybody: 'Everybody' } as const

/** Role of users for whom the provider names none. */
export const DEFAULT_ROLE_LABELS = { ...USER_ROLE_LABELS, none: 'Reject them' } as const

export const PASSWORD_STRENGTH_LABELS = {
  short: 'too short',
  weak: 'weak',
  fair: 'fair',
  strong: 'strong',
} as const

export const STORE_LABELS = {
  google_play_loans: 'Google Play, loans',
  apple_required_reasons: 'App Store',
} as const

export const STORE_EFFECT_LABELS = {
  forbidden: 'forbidden',
  needs_declaration: 'needs declaration',
  limited: 'limited',
} as const

export const ACTOR_KIND_LABELS = {
  user: 'User',
  key: 'API key',
  operator: 'Operator',
  service: 'Service',
} as const

export const PERSON_KIND_LABELS = { client: 'Client id', device: 'Device id' } as const

export const PRIVACY_REQUEST_LABELS = { export: 'Export', erase: 'Erasure' } as const

export const REQUEST_STATE_LABELS = { running: 'Running', finished: 'Finished', failed: 'Broke off' } as const

export const WEBHOOK_STATE_LABELS = { enabled: 'Enabled', failing: 'Failing', disabled: 'Disabled' } as const

export const WEBHOOK_REASON_LABELS = {
  requested: 'By an admin',
  failing: 'The receiver took nothing for three days',
  gone: 'The receiver answered that it is gone',
} as const

export const DELIVERY_OUTCOME_LABELS = {
  delivered: 'Delivered',
  failed: 'Failed',
  given_up: 'Given up',
} as const

export const OUTCOME_LABELS = { success: 'Successful', failure: 'Failed', denied: 'Denied' } as const

/** Names the actor of a record; a key by its id too, since people choose its label. */
export function actorLabel({
  actor,
  actorKind,
  actorId,
}: {
  readonly actor: string
  readonly actorKind: string | null
  readonly actorId: number | null
}): string {
  const key = `API key ${actorId}`
  return actorKind !== 'key' || actor.startsWith(key) ? actor : `${key}: ${actor}`
}

/** The label of a value; the value itself if it has none, as values of a newer API. */
export const labelOf = (labels: Readonly<Record<string, string>>, value: string): string =>
  labels[value] ?? value

/** Labels as the options of a select. */
export const optionsOf = (labels: Readonly<Record<string, string>>): { value: string; label: string }[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))
