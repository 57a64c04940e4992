import { cp, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const SDK = join(import.meta.dirname, '..')

/** Folders of a release. */
export interface ReleaseFolders {
  /** A build. */
  readonly dist: string
  /** The scripts of released versions, in a folder each. */
  readonly released: string
}

/**
 * Adds the scripts of a build to those of released versions, which web serves for good: pages name their address and their hash.
 * Commit the new folder. A version that is released already stays as it is.
 *
 * @returns the version.
 * @throws Error if that version was released with other scripts.
 */
export async function releaseSdk(
  { dist, released }: ReleaseFolders = { dist: join(SDK, 'dist'), released: join(SDK, 'released') },
): Promise<string> {
  const { version } = JSON.parse(await readFile(join(dist, 'package.json'), 'utf8'))
  const target = join(released, version)
  const names = (await readdir(dist)).filter((name) => /\.m?js$/.test(name)).toSorted()
  const before = await readdir(target).catch(() => undefined)
  if (before === undefined) {
    await mkdir(target, { recursive: true })
    for (const name of names) await cp(join(dist, name), join(target, name))
    return version
  }
  const same = await Promise.all(
    names.map(async (name) => {
      const kept = await readFile(join(target, name)).catch(() => undefined)
      return kept?.equals(await readFile(join(dist, name))) ?? false
    }),
  )
  if (before.length !== names.length || same.includes(false))
    throw new Error(
      `Version ${version} of the SDK was released with other scripts: raise the version in api/sdk/package.json`,
    )
  return version
}
