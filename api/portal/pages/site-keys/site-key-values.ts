import { z } from 'zod'
import { NewSiteKey, SiteKeyLevel } from '../../../site-keys/site-key-schemas.ts'
import type { SiteKey } from './site-key-types.ts'

/** Values of the form for a site key; an empty number field is a text. */
export const SiteKeyValues = z.object({
  label: z.string(),
  level: SiteKeyLevel,
  /** One per line. */
  origins: z.string(),
  graphics: z.boolean(),
  maxCollectionsPerDay: z.union([z.number(), z.string()]),
})

export type SiteKeyValues = z.output<typeof SiteKeyValues>

export const NEW_VALUES: SiteKeyValues = {
  label: '',
  level: 'claimed',
  origins: '',
  graphics: false,
  maxCollectionsPerDay: 10_000,
}

/** Returns the values of a site key in the form. */
export const valuesOf = ({
  label,
  level,
  origins,
  modules,
  maxCollectionsPerDay,
}: SiteKey): SiteKeyValues => ({
  ...{ label, level, maxCollectionsPerDay },
  origins: origins.join('\n'),
  graphics: modules.includes('graphics'),
})

const originsOf = ({ origins }: SiteKeyValues): string[] => origins.split(/\s+/).filter(Boolean)

const requestOf = (values: SiteKeyValues) => ({
  label: values.label,
  level: values.level,
  origins: originsOf(values),
  modules: values.graphics ? ['graphics'] : [],
  maxCollectionsPerDay: values.maxCollectionsPerDay,
})

/** Returns the request to create a site key from validated values. */
export const parseValues = (values: SiteKeyValues): z.output<typeof NewSiteKey> =>
  NewSiteKey.parse(requestOf(values))

/** Returns the errors of the values by field. */
export function findErrors(values: SiteKeyValues): Record<string, string> {
  const { error } = NewSiteKey.safeParse(requestOf(values))
  return errorsByField(
    values,
    (error?.issues ?? []).map(({ path, message }) => [path.map(String).join('.'), message]),
  )
}

/** Groups errors of a request by field; an error of one origin names it. */
export function errorsByField(
  values: SiteKeyValues,
  errors: readonly (readonly [path: string, message: string])[],
): Record<string, string> {
  const byField: Record<string, string> = {}
  for (const [path, message] of errors) {
    const [field = '', at] = path.split('.')
    const origin = field === 'origins' && at !== undefined ? originsOf(values)[Number(at)] : undefined
    byField[field] ??= origin === undefined ? message : `${origin} ${message}`
  }
  return byField
}
