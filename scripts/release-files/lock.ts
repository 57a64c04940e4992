/** A package of package-lock.json, npm's list of everything that an install downloads. @see npm docs, package-lock.json */
export interface LockedPackage {
  readonly name?: string
  readonly version: string
  /** SPDX expression, as the package declares it. */
  readonly license?: string
  /** Hash of the download, `sha512-` and base64; none if it comes within another package. */
  readonly integrity?: string
  /** Not installed in production. */
  readonly dev?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Packages by their folder; '' is the project. */
export type Lock = Readonly<Record<string, LockedPackage>>

const FOLDER = 'node_modules/'

/** The name of the package in this folder. */
export const nameOf = (path: string, locked: LockedPackage): string =>
  locked.name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)

/**
 * Returns the folders of the packages on which the one in this folder depends, as Node finds them: the nearest of that name. Optional
 * ones that are not in the lock are left out.
 */
export function listDependencies(lock: Lock, path: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies } = lock[path] ?? {}
  const names = Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })
  return names.map((name) => findInstalled(lock, path, name)).filter((found) => found !== undefined)
}

/** @returns the folder of the package that this one gets for the name. */
export function findInstalled(lock: Lock, from: string, name: string): string | undefined {
  for (let parent: string | undefined = from; parent !== undefined; parent = parentOf(parent)) {
    const path = `${parent === '' ? '' : `${parent}/`}${FOLDER}${name}`
    if (lock[path]) return path
  }
  return undefined
}

function parentOf(path: string): string | undefined {
  if (path === '') return undefined
  return path.slice(0, path.lastIndexOf(FOLDER)).replace(/\/$/, '')
}

/** Returns these folders and those of everything on which they depend. */
export function closure(lock: Lock, paths: Iterable<string>): Set<string> {
  const found = new Set(paths)
  for (const path of found) for (const dependency of listDependencies(lock, path)) found.add(dependency)
  return found
}
