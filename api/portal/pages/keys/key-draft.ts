import { z } from 'zod'
import { DEFAULT_KEY_DAYS, KeyScope, NewKey } from '../../../keys/key-schemas.ts'

/** Values of the form for a new key; an empty number field is a text. */
export const KeyDraft = z.object({
  label: z.string(),
  /** A role, or that the key has scopes instead. */
  role: z.enum(['uploader', 'requester', 'scopes']),
  mode: z.enum(['live', 'test']).default('live'),
  scopes: z.array(KeyScope),
  expiresInDays: z.union([z.number(), z.string()]),
  /** One per line. */
  networks: z.string(),
})

export type KeyDraft = z.output<typeof KeyDraft>

export const NEW_KEY: KeyDraft = {
  ...{ label: '', role: 'uploader', mode: 'live', scopes: [], expiresInDays: DEFAULT_KEY_DAYS, networks: '' },
}

const networksOf = ({ networks }: KeyDraft): string[] => networks.split(/[\s,]+/).filter(Boolean)

/** Returns the request of the values, which may be invalid. */
const requestOf = (values: KeyDraft) => ({
  label: values.label,
  ...(values.role === 'scopes' ? { scopes: values.scopes } : { role: values.role }),
  ...(values.mode === 'test' && { mode: values.mode }),
  expiresInDays: values.expiresInDays,
  ...(networksOf(values).length > 0 && { networks: networksOf(values) }),
})

/** Returns the request to create a key from validated values. */
export const parseValues = (values: KeyDraft): z.output<typeof NewKey> => NewKey.parse(requestOf(values))

/** Returns the errors of the values by field. */
export function findErrors(values: KeyDraft): Record<string, string> {
  const { error } = NewKey.safeParse(requestOf(values))
  return errorsByField(
    values,
    (error?.issues ?? []).map(({ path, message }) => [path.map(String).join('.'), message]),
  )
}

/** Groups errors of a request by field; an error of one network names it. */
export function errorsByField(
  values: KeyDraft,
  errors: readonly (readonly [path: string, message: string])[],
): Record<string, string> {
  const byField: Record<string, string> = {}
  for (const [path, message] of errors) {
    const [field = '', at] = path.split('.')
    const network = field === 'networks' && at !== undefined ? networksOf(values)[Number(at)] : undefined
    byField[field] ??= network === undefined ? message : `${network} ${message}`
  }
  return byField
}
