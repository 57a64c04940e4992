import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git } from '../../scripts/release-files/git.ts'
import { writeRelease } from '../../scripts/release-files/write-release.ts'
import { PROJECT } from '../support/start-process.ts'

const run = promisify(execFile)

interface Component {
  readonly name: string
  readonly version: string
  readonly scope: string
  readonly purl: string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
  readonly licenses: readonly object[]
}

let directory: string
let checkout: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'inkling-release-'))
  checkout = join(directory, 'checkout')
  await run('git', ['clone', '--quiet', '--local', '--no-tags', PROJECT, checkout])
  await git(checkout, 'config', 'user.name', 'Release Test')
  await git(checkout, 'config', 'user.email', 'release@inkling.example')
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const release = (name: string, tag = false) =>
  writeRelease({ project: checkout, output: join(directory, name), tag })

describe('the files of a release', () => {
  let files: readonly string[]

  beforeAll(async () => {
    await expect(release('untagged')).rejects.toThrow('The commit has no tag v')
    ;({ files } = await release('first', true))
  })

  test('are the same when another person makes them from the tag', async () => {
    const again = await release('again')
    expect(again.files.map((file) => basename(file))).toEqual(files.map((file) => basename(file)))
    for (const [at, file] of again.files.entries())
      expect(await readFile(file), file).toEqual(await readFile(files[at] ?? ''))
  })

  test('match their checksums, and the archive holds what is tracked', async () => {
    const sums = (await readFile(join(directory, 'first/SHA256SUMS'), 'utf8')).trim().split('\n')
    expect(sums).toHaveLength(files.length - 1)
    for (const line of sums) {
      const [sum, name] = line.split('  ')
      const bytes = await readFile(join(directory, 'first', name ?? ''))
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sum)
    }
    const archive = files.find((file) => file.endsWith('.tar')) ?? ''
    const { stdout } = await run('tar', ['-tf', archive], { maxBuffer: 16 * 1024 * 1024 })
    const archived = stdout.split('\n').filter((path) => path !== '' && !path.endsWith('/'))
    const tracked = (await git(checkout, 'ls-files')).split('\n')
    expect(archived.map((path) => path.slice(path.indexOf('/') + 1)).toSorted()).toEqual(tracked.toSorted())
  })

  test('name each package that npm installs in production, with hash and licence', async () => {
    const { components }: { components: Component[] } = JSON.parse(
      await readFile(files.find((file) => file.endsWith('.cdx.json')) ?? '', 'utf8'),
    )
    const { stdout } = await run(
      'npm',
      ['ls', '--all', '--parseable', '--long', '--omit=dev', '--package-lock-only'],
      {
        cwd: checkout,
        maxBuffer: 16 * 1024 * 1024,
      },
    )
    // PATH:NAME@VERSION…, the first of which is the project
    const installed = stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(':')[1] ?? '')
    const shipped = components.filter(({ scope }) => scope === 'required')
    const listed = shipped.map(({ name, version }) => `${name}@${version}`)
    expect(installed.length).toBeGreaterThan(50)
    expect(installed.filter((name) => !listed.includes(name))).toEqual([])
    expect(listed).toContainEqual(expect.stringMatching(/^react-dom@/)) // in the portal's pages
    expect(listed).not.toContainEqual(expect.stringMatching(/^vitest@/))
    for (const { purl, hashes, licenses } of shipped) {
      expect(hashes, purl).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }])
      expect(licenses, purl).toHaveLength(1)
    }
  })

  test('list licences that allow use with Apache-2.0', async () => {
    const list = await readFile(files.find((file) => file.endsWith('.licences.txt')) ?? '', 'utf8')
    const licences = new Set(
      list
        .split('\n')
        .slice(3, -1)
        .map((line) => line.split(/ {2,}/)[1]),
    )
    expect([...licences].toSorted()).toEqual(PERMISSIVE)
  })

  test('are not made from changed files, or when the tag is another commit', async () => {
    await writeFile(join(checkout, 'new.txt'), 'x')
    await expect(release('changed')).rejects.toThrow('Files differ from the commit')
    await git(checkout, 'add', '--all')
    await git(checkout, 'commit', '--quiet', '--message', 'later')
    await expect(release('later', true)).rejects.toThrow(/^v\S+ is another commit\. Raise the version/)
  })
})

/** Licences without conditions for the code that uses the package. */
const PERMISSIVE = [
  '(MIT OR Apache-2.0)',
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT AND ISC AND BSD-3-Clause',
  'OFL-1.1',
]
