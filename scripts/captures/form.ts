import type { Mix } from './typing.ts'

/** One field of a loan application. */
export interface Field {
  readonly name: string
  /** HTML input type. */
  readonly kind: 'text' | 'number' | 'email' | 'tel' | 'date' | 'select' | 'password' | 'checkbox'
  /** Usual number of characters: minimum and maximum. */
  readonly length: readonly [min: number, max: number]
  readonly mix: Mix
  /** How often people who tend to paste do so in this field, 0 to 1. */
  readonly pasteShare: number
  /** Its `autocomplete` attribute. */
  readonly autocomplete: string | undefined
  /** Whether the web SDK records that it was visited, and nothing else. */
  readonly secret: boolean
}

type Row = readonly [
  Field['name'],
  Field['kind'],
  min: number,
  max: number,
  digitShare: number,
  pasteShare: number,
]

const ROWS: readonly Row[] = [
  ['fullName', 'text', 9, 28, 0, 0.02],
  ['phone', 'tel', 9, 12, 1, 0.1],
  ['loanAmount', 'number', 3, 7, 1, 0],
  ['email', 'email', 14, 30, 0.12, 0.25],
  ['password', 'password', 8, 14, 0.25, 0.5],
  ['dateOfBirth', 'date', 8, 10, 0.8, 0],
  ['nationalId', 'text', 8, 18, 0.95, 0.35],
  ['loanTerm', 'select', 1, 2, 1, 0],
  ['purpose', 'select', 5, 14, 0, 0],
  ['addressLine', 'text', 14, 46, 0.14, 0.05],
  ['city', 'text', 4, 16, 0, 0.01],
  ['postcode', 'text', 4, 7, 0.9, 0.02],
  ['housing', 'select', 4, 10, 0, 0],
  ['employment', 'select', 6, 14, 0, 0],
  ['employer', 'text', 5, 30, 0.02, 0.02],
  ['jobTitle', 'text', 5, 24, 0, 0.01],
  ['monthlyIncome', 'number', 3, 8, 1, 0],
  ['payDay', 'select', 1, 2, 1, 0],
  ['bankAccount', 'text', 10, 24, 0.96, 0.6],
  ['referenceName', 'text', 8, 26, 0, 0.05],
  ['referencePhone', 'tel', 9, 12, 1, 0.5],
  ['oneTimeCode', 'number', 4, 6, 1, 0.7],
  ['termsAccepted', 'checkbox', 1, 1, 0, 0],
]

const AUTOCOMPLETE: Readonly<Record<string, string>> = {
  fullName: 'name',
  phone: 'tel',
  email: 'email',
  password: 'new-password',
  dateOfBirth: 'bday',
  addressLine: 'street-address',
  city: 'address-level2',
  postcode: 'postal-code',
  employer: 'organization',
  jobTitle: 'organization-title',
  oneTimeCode: 'one-time-code',
}

/** The fields of the application form, top to bottom. */
export const FIELDS: readonly Field[] = ROWS.map(([name, kind, min, max, digitShare, pasteShare]) => ({
  name,
  kind,
  length: [min, max],
  mix: mixOf(kind, digitShare),
  pasteShare,
  autocomplete: AUTOCOMPLETE[name],
  secret: kind === 'password' || name === 'oneTimeCode',
}))

function mixOf(kind: Field['kind'], digits: number): Mix {
  const others = 1 - digits
  if (kind === 'date') return { digits, spaces: 0, symbols: others }
  if (kind === 'email' || kind === 'password') return { digits, spaces: 0, symbols: 0.1 * others }
  return { digits, spaces: kind === 'text' ? 0.12 * others : 0, symbols: 0.03 * others }
}
