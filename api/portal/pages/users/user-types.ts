import type { components } from '../../client/openapi.d.ts'

export type User = components['schemas']['User']

export const ROLES = { admin: 'Admin', analyst: 'Analyst' } as const

/** What an admin is about to do with a user. */
export type UserChange = { readonly user: User } & (
  | { readonly what: 'role'; readonly role: 'admin' | 'analyst' }
  | { readonly what: 'disable' | 'enable' | 'link' }
)

/** A link to be handed over, this once. */
export interface CreatedLink {
  readonly userEmail: string
  readonly link: components['schemas']['InvitationLink']
}
