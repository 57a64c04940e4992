import { AUDIT_ACTIONS } from '../../../../db/audit/audit-actions.ts'
import type { components } from '../../client/openapi.d.ts'

export type AuditEvent = components['schemas']['AuditEvent']

/** The action as a sentence; actions of a newer API as their code. */
export const sentenceOf = ({ action }: Pick<AuditEvent, 'action'>): string =>
  (AUDIT_ACTIONS as Record<string, string>)[action] ?? action

const SUBJECTS: Record<string, string> = {
  access: 'Operation',
  dataset: 'Dataset',
  fragment: 'Fragment',
  key: 'API key',
  person: 'Person',
  scorecard: 'Scorecard',
  session: 'Session',
  site_key: 'Site key',
  sso: 'Domain',
  user: 'User',
}

/** Kind and name of the action's subject; undefined for actions on the whole subscription. */
export function subjectOf({
  action,
  subject,
  detail,
}: AuditEvent): { kind: string; name: string } | undefined {
  if (subject === null) return undefined
  const group = action.split('.')[0] ?? ''
  const { label } = detail
  const named =
    (group === 'key' || group === 'site_key') && typeof label === 'string' ? `${label} (${subject})` : subject
  return { kind: SUBJECTS[group] ?? 'Subject', name: named }
}

/** Path of the subject's page; only for datasets that are not deleted. */
export const pathOf = ({ action, subject }: AuditEvent): string | undefined =>
  subject !== null && action.startsWith('dataset.') && action !== 'dataset.delete'
    ? `/datasets/${encodeURIComponent(subject)}`
    : undefined

const NAMES: Record<string, string> = {
  all: 'All',
  by: 'Searched by',
  blobDays: 'Data retention in days',
  code: 'Code',
  collections: 'Collections',
  dataKeys: 'Destroyed data keys',
  datasets: 'Datasets',
  days: 'Dataset retention in days',
  email: 'E-mail',
  expiresInDays: 'Expires in days',
  kind: 'Kind',
  label: 'Label',
  maxCollectionsPerDay: 'Collections per day',
  overlapHours: 'Overlap in hours',
  method: 'Method',
  reason: 'Reason',
  referenceNumbers: 'Reference numbers',
  replaced: 'Previous version',
  request: 'Request',
  role: 'Role',
  rows: 'Rows',
  since: 'Uploaded since',
  stage: 'Stage',
  status: 'Status',
  until: 'Uploaded before',
  version: 'Version',
}

/** `someMember` as `Some member`. */
const spaced = (name: string) =>
  name
    .replace(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`)
    .replace(/^./, (first) => first.toUpperCase())

/** Shown for null. */
export const NONE = 'none'

/** A scorecard version (SHA-256), shown by its first 12 digits. */
const VERSION = /^[0-9a-f]{64}$/

function textOf(value: unknown): string {
  if (value === null) return NONE
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (typeof value === 'string') return VERSION.test(value) ? value.slice(0, 12) : value
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Labels and values of the recorded details, in their order. */
export const detailsOf = ({ detail }: AuditEvent): { name: string; text: string }[] =>
  Object.entries(detail).map(([name, value]) => ({ name: NAMES[name] ?? spaced(name), text: textOf(value) }))
