import { type Lock, type LockedPackage, nameOf } from './lock.ts'

/** Returns the licences of these packages as a table of text, sorted by name. */
export function listLicences(lock: Lock, shipped: ReadonlySet<string>): string {
  const rows = [...shipped].map((path) => {
    const locked = lock[path] as LockedPackage
    return [nameOf(path, locked), locked.version, locked.license ?? 'not declared'] as const
  })
  const width = Math.max(...rows.map(([name, version]) => name.length + version.length)) + 3
  const lines = rows.map(([name, version, licence]) => `${`${name} ${version}`.padEnd(width)}${licence}`)
  return [
    'Packages that Inkling runs with, in Node or in the pages of its portal, and their licences as the packages declare them.',
    'Each package holds the text of its licence. Inkling itself: Apache-2.0.',
    '',
    ...new Set(lines.toSorted()),
    '',
  ].join('\n')
}
