import type { z } from 'zod'
import type { KeyScope } from '../../../keys/key-schemas.ts'

/** Label and description of each key role. */
const KEY_ROLES = {
  uploader: { label: 'Uploader', text: 'Uploads datasets and saves Additional Info. Cannot read.' },
  requester: { label: 'Requester', text: 'Reads insights. Cannot upload.' },
} as const

/** Roles, and scopes instead of a role, as the form for a new key offers them. */
export const KEY_CHOICES = {
  ...KEY_ROLES,
  scopes: { label: 'Scopes', text: 'Allows what you select, for a backend that does more.' },
} as const

/** What each scope allows. */
export const KEY_SCOPE_TEXTS: Readonly<Record<z.output<typeof KeyScope>, string>> = {
  'datasets:write': 'Upload datasets, save Additional Info, create tokens and claims of collections',
  'insights:read': 'Read insights and explanations, also in batches',
  'datasets:read': 'List, search, show and export datasets; find and export stored data of a person',
  'datasets:delete': 'Delete datasets; erase stored data of a person',
  'events:read': 'Read the event feed',
  'webhooks:manage': 'Create, change and delete webhooks',
}

/** Returns the label and description of a key's permissions. */
export function describeGrant({
  role,
  scopes,
}: {
  role: keyof typeof KEY_ROLES | 'custom'
  scopes: readonly string[]
}): { label: string; text: string } {
  return role === 'custom' ? { label: scopes.join(', '), text: 'Scopes of the key' } : KEY_ROLES[role]
}
