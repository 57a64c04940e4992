import { STORE_POLICIES } from '../../db/capture/store-policies.ts'
import type { CaptureReport, InvalidReport, ValidReport } from './check-capture.ts'
import type { StoreResult } from './check-stores.ts'

const MEBIBYTE = 2 ** 20

/** Faults shown in a report for people. */
const MAX_SHOWN = 20

/** A report for people: one line, its faults and findings, and with `details` also features and sizes. */
export function presentReport(report: CaptureReport, { details }: { readonly details: boolean }): string {
  const lines = report.valid ? presentValid(report, details) : presentInvalid(report)
  return `${lines.map(printable).join('\n')}\n`
}

function presentInvalid({ name, code, faults, more }: InvalidReport): string[] {
  const left = Math.max(0, faults.length - MAX_SHOWN) + more
  return [
    `✗ ${name}: ${code === null ? 'not a capture' : `invalid, error code ${code}`}`,
    ...faults.slice(0, MAX_SHOWN).map(({ pointer, message }) => `    ${pointer && `${pointer}: `}${message}`),
    ...(left > 0 ? [`    and ${left} more`] : []),
  ]
}

function presentValid(report: ValidReport, details: boolean): string[] {
  const { name, platform, features, missing, ignored, size } = report
  const count = `${features.length} of ${features.length + missing.length} features`
  return [
    `✓ ${name}: valid, ${platform}, ${count}, ${bytesText(size.base64Bytes)} of base64`,
    ...ignored
      .slice(0, MAX_SHOWN)
      .map(
        ({ pointer, times, meant }) =>
          `    ignored: ${pointer}${times > 1 ? ` and ${times - 1} more` : ''}, not in the format${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      ),
    ...(details ? presentDetails(report) : []),
    ...report.stores.flatMap((result) => presentStore(result, details)),
  ]
}

function presentDetails({ features, missing, atUpload, size }: ValidReport): string[] {
  const width = Math.max(0, ...features.map(({ name }) => name.length))
  const reasons = Map.groupBy(missing, ({ reason }) => reason)
  return [
    '',
    '  Features',
    ...features.map(({ name, value, unit }) =>
      `    ${name.padEnd(width)}  ${valueText(value)} ${unit ?? ''}`.trimEnd(),
    ),
    ...(missing.length > 0 ? ['', '  Features that cannot be computed'] : []),
    ...[...reasons].flatMap(([reason, some]) => [`    ${reason}:`, ...wrap(some.map(({ name }) => name))]),
    '',
    '  Features computed from the upload',
    ...wrap(atUpload),
    '',
    '  Size',
    `    JSON ${bytesText(size.jsonBytes)}, gzip ${bytesText(size.gzipBytes)}, base64 ${bytesText(size.base64Bytes)}`,
    `    limits: JSON ${size.limits.jsonBytes / MEBIBYTE} MiB, body of an upload ${size.limits.bodyBytes / MEBIBYTE} MiB, ${size.limits.events} events`,
    ...size.heaviest.map(
      ({ part, bytes, share }) => `    ${Math.round(share * 100)} % ${part}, ${bytesText(bytes)}`,
    ),
    ...size.advice.map((advice) => `    advice: ${advice}`),
  ]
}

/** What breaks the policy; with `details` also what it limits, and where the policy is. */
function presentStore({ title, passes, findings }: StoreResult, details: boolean): string[] {
  const shown = details ? findings : findings.filter(({ breaks }) => breaks)
  if (passes && !details) return []
  return [
    ...(details
      ? ['', `  ${title}: ${passes ? 'nothing forbidden' : 'breaks the policy'}`]
      : [`    ${title}:`]),
    ...shown.map(
      ({ effect, breaks, pointer, found, reason }) =>
        `    ${breaks ? '✗' : '-'} ${pointer} (${found}) ${EFFECTS[effect]}: ${reason}`,
    ),
    ...(details
      ? [...new Set(findings.map(({ source }) => source))].map((source) => `    see ${source}`)
      : []),
  ]
}

const EFFECTS = {
  forbidden: 'forbidden',
  needs_declaration: 'needs a declaration',
  limited: 'limited',
} as const

/** Totals over several captures. */
export function presentTotals(totals: {
  readonly captures: number
  readonly valid: number
  readonly breaking: ReadonlyMap<keyof typeof STORE_POLICIES, number>
}): string {
  const stores = [...totals.breaking].map(([store, n]) => `${n} break ${STORE_POLICIES[store].title}`)
  return `${[`${totals.valid} of ${totals.captures} captures are valid`, ...stores].join('; ')}\n`
}

const valueText = (value: number | boolean | string) =>
  typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value)

function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Names in indented lines of up to 100 characters. */
function wrap(names: readonly string[]): string[] {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || last.length + name.length > 98) lines.push(`      ${name}`)
    else lines[lines.length - 1] = `${last}, ${name}`
  }
  return lines
}

/** A capture is data of others: its texts must not control the terminal. */
const printable = (line: string) => line.replace(CONTROL, '�')

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it replaces
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g
