import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UserError } from '../cli/user-error.ts'
import { makeBillOfMaterials } from './bill-of-materials.ts'
import { git } from './git.ts'
import { listLicences } from './list-licences.ts'
import { closure, type Lock } from './lock.ts'
import { listPortalPackages } from './portal-packages.ts'

export interface ReleaseOptions {
  /** A checkout. */
  readonly project: string
  /** Folder of the files; made if it does not exist. */
  readonly output: string
  /** Whether to make the tag of the version here; otherwise the commit must have it. */
  readonly tag: boolean
}

export interface Release {
  /** `v` and the version. */
  readonly tag: string
  /** Paths of the files. */
  readonly files: readonly string[]
}

/**
 * Writes the files of a release of the checked-out commit: the sources, a bill of materials, the licences, and the SHA-256 of each.
 * They depend on the commit alone, so that anybody can make them again and compare.
 *
 * @throws UserError if files differ from the commit, or the tag is missing or belongs to another commit.
 */
export async function writeRelease({ project, output, tag: makesTag }: ReleaseOptions): Promise<Release> {
  if ((await git(project, 'status', '--porcelain')) !== '')
    throw new UserError('Files differ from the commit: commit or remove them first')
  const { packages: lock, version } = JSON.parse(await git(project, 'show', 'HEAD:package-lock.json')) as {
    packages: Lock
    version: string
  }
  const tag = `v${version}`
  await requireTag(project, tag, makesTag)

  const production = Object.keys(lock).filter((path) => path !== '' && !lock[path]?.dev)
  const shipped = closure(lock, [...production, ...(await listPortalPackages(project, lock))])
  const committedAt = await git(project, 'show', '-s', '--format=%cI', 'HEAD')
  const bill = makeBillOfMaterials({ lock, shipped, committedAt })

  await mkdir(output, { recursive: true })
  const name = `inkling-${version}`
  const path = (extension: string) => join(output, `${name}${extension}`)
  // not compressed: what gzip writes depends on the version of zlib
  await git(project, 'archive', '--format=tar', `--prefix=${name}/`, '-o', path('.tar'), 'HEAD')
  await writeFile(path('.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`)
  await writeFile(path('.licences.txt'), listLicences(lock, shipped))
  const files = ['.cdx.json', '.licences.txt', '.tar'].map(path)
  const sums = await Promise.all(
    files.map(
      async (file) =>
        `${createHash('sha256')
          .update(await readFile(file))
          .digest('hex')}  ${basename(file)}\n`,
    ),
  )
  await writeFile(join(output, 'SHA256SUMS'), sums.join(''))
  return { tag, files: [...files, join(output, 'SHA256SUMS')] }
}

async function requireTag(project: string, tag: string, makesTag: boolean): Promise<void> {
  const tagged = await git(project, 'rev-parse', '--verify', '--quiet', `${tag}^{commit}`).catch(
    () => undefined,
  )
  if (tagged === undefined) {
    if (!makesTag) throw new UserError(`The commit has no tag ${tag}: add --tag to make it`)
    await git(project, 'tag', '--annotate', '--message', `Inkling ${tag.slice(1)}`, tag)
  } else if (tagged !== (await git(project, 'rev-parse', 'HEAD')))
    throw new UserError(
      `${tag} is another commit. Raise the version in package.json and package-lock.json, or check out ${tag}`,
    )
}
