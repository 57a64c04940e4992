import type { components } from '../../client/openapi.d.ts'

export type PersonSummary = components['schemas']['PersonSummary']
export type PrivacyRequest = components['schemas']['PrivacyRequest']
export type Retention = components['schemas']['Retention']

/** A person as the API takes it, with its kind and identifier. */
export interface NamedPerson {
  readonly kind: 'client' | 'device'
  readonly id: string
}

/** The body that names a person. */
export const bodyOf = ({ kind, id }: NamedPerson) => (kind === 'client' ? { clientId: id } : { deviceId: id })
