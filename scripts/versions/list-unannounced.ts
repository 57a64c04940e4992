import type { Contract } from './contract.ts'

/**
 * Lists the paths that were added or removed, and that the section of the next version in the CHANGELOG does not name. A parent path
 * is enough where all paths below it are new.
 *
 * @param changelog CHANGELOG.md
 */
export function listUnannounced(before: Contract, after: Contract, changelog: string): string[] {
  const [, section = ''] = /^## .*\(unreleased\)\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(changelog) ?? []
  const text = section.replace(/:(\w+)/g, '{$1}')
  const [earlier, later] = [pathsOf(before), pathsOf(after)]
  return [...difference(later, earlier), ...difference(earlier, later)].filter(
    (path) => !parentsOf(path, [...later].every((one) => one !== path) ? later : earlier).some(isNamed(text)),
  )
}

const pathsOf = ({ operations }: Contract): ReadonlySet<string> =>
  new Set(
    Object.keys(operations)
      .map((name) => name.slice(name.indexOf(' ') + 1))
      .filter((path) => path.startsWith('/')),
  )

const difference = (paths: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...paths].filter((path) => !others.has(path))

/** Returns a path and those of its parents below which the other version has nothing. */
function parentsOf(path: string, others: ReadonlySet<string>): string[] {
  const parts = path.split('/')
  return parts
    .map((_, at) => parts.slice(0, parts.length - at).join('/'))
    .filter((parent) => parent !== '' && ![...others].some((other) => `${other}/`.startsWith(`${parent}/`)))
}

const isNamed = (text: string) => (path: string) => {
  const at = text.indexOf(path)
  return at >= 0 && !/[\w/-]/.test(text[at + path.length] ?? '')
}
