import type { components } from '../../client/openapi.d.ts'

export type User = components['schemas']['User']

/** A change of a user that waits for confirmation. */
export type UserChange = { readonly user: User } & (
  | { readonly kind: 'role'; readonly role: User['role'] }
  | { readonly kind: 'disable' | 'enable' | 'link' | 'factors' | 'delete' }
)

/** A new link to set a password; shown once. */
export interface CreatedLink {
  readonly userEmail: string
  readonly link: components['schemas']['InvitationLink']
}
