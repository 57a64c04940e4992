import { AUDIT_ACTIONS } from '../../../../db/audit/audit-actions.ts'
import type { components } from '../../client/openapi.d.ts'

export type AuditEvent = components['schemas']['AuditEvent']

/** What was done, as a sentence; an action of another version as it is. */
export const sentenceOf = ({ action }: Pick<AuditEvent, 'action'>): string =>
  (AUDIT_ACTIONS as Record<string, string>)[action] ?? action

const SUBJECTS: Record<string, string> = {
  dataset: 'Dataset',
  fragment: 'Fragment',
  key: 'API key',
  scorecard: 'Scorecard',
  user: 'User',
}

/** What it was done to: what kind of thing, and its name there. Undefined where the action is about the whole subscription. */
export function subjectOf({
  action,
  subject,
  detail,
}: AuditEvent): { kind: string; name: string } | undefined {
  if (subject === null) return undefined
  const thing = action.split('.')[0] ?? ''
  const { label } = detail
  const named = thing === 'key' && typeof label === 'string' ? `${label} (${subject})` : subject
  return { kind: SUBJECTS[thing] ?? 'Subject', name: named }
}

/** The page of a dataset that is still there. */
export const pathOf = ({ action, subject }: AuditEvent): string | undefined =>
  subject !== null && action.startsWith('dataset.') && action !== 'dataset.delete'
    ? `/datasets/${encodeURIComponent(subject)}`
    : undefined

const NAMES: Record<string, string> = {
  all: 'All of them',
  blobDays: 'Days that data is kept',
  code: 'Code',
  datasets: 'Datasets',
  days: 'Days that they are kept',
  email: 'E-mail',
  expiresInDays: 'Expires in days',
  kind: 'Kind',
  label: 'Label',
  reason: 'Reason',
  referenceNumbers: 'Reference numbers',
  replaced: 'Version before',
  role: 'Role',
  since: 'Uploaded since',
  stage: 'Stage',
  status: 'State',
  until: 'Uploaded before',
  version: 'Version',
}

/** `someMember` as `Some member`. */
const spaced = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`)
    .replace(/^./, (first) => first.toUpperCase())

/** In place of a value that there was none of. */
export const NONE = 'none'

/** Of a version, which is 64 digits, as many as tell it apart. */
const VERSION = /^[0-9a-f]{64}$/

function textOf(value: unknown): string {
  if (value === null) return NONE
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (typeof value === 'string') return VERSION.test(value) ? value.slice(0, 12) : value
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What else was recorded, for people: name and value, in the order in which it was recorded. */
export const detailsOf = ({ detail }: AuditEvent): { name: string; text: string }[] =>
  Object.entries(detail).map(([name, value]) => ({ name: NAMES[name] ?? spaced(name), text: textOf(value) }))
