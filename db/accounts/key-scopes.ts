/** What an API key may do. Published: never renamed, only added to. */
export const KEY_SCOPES = [
  'datasets:write',
  'insights:read',
  'datasets:read',
  'datasets:delete',
  'events:read',
  'webhooks:manage',
] as const

export type KeyScope = (typeof KEY_SCOPES)[number]

/** The roles of the interface document, each a fixed list of scopes. A scope that is added later is in neither. */
export const SCOPES_OF_ROLE = {
  uploader: ['datasets:write'],
  requester: ['insights:read'],
} as const satisfies Record<string, readonly KeyScope[]>

export type KeyRole = keyof typeof SCOPES_OF_ROLE

/** A key has a role or a list of scopes; the other one is null. */
export interface KeyGrant {
  readonly role: KeyRole | null
  readonly scopes: readonly KeyScope[] | null
}

/** Returns the scopes of a key, whether they are its own or its role's. */
export const scopesOf = ({ role, scopes }: KeyGrant): readonly KeyScope[] =>
  scopes ?? (role ? SCOPES_OF_ROLE[role] : [])

/** Returns scopes in the order of `KEY_SCOPES`, each once. */
export const sortScopes = (scopes: readonly KeyScope[]): KeyScope[] =>
  KEY_SCOPES.filter((scope) => scopes.includes(scope))
