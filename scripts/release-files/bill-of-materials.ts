import { type Lock, type LockedPackage, listDependencies, nameOf } from './lock.ts'

/** What a bill of materials is made of. */
export interface Materials {
  readonly lock: Lock
  /** Folders of the packages that run in production: in Node, or in the portal's pages. The others only build and test. */
  readonly shipped: ReadonlySet<string>
  /** Date of the commit, ISO 8601. */
  readonly committedAt: string
}

/** Identifies a package. @see https://github.com/package-url/purl-spec */
const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/**
 * Returns a software bill of materials in the format CycloneDX 1.6: each package of the lock with version, licence, hash and
 * dependencies. Packages that only build and test have the scope `excluded`. It depends on the lock and the commit alone.
 *
 * @see https://cyclonedx.org/docs/1.6/json/
 */
export function makeBillOfMaterials({ lock, shipped, committedAt }: Materials): object {
  const project = lock['']
  if (!project) throw new Error('package-lock.json does not name the project')
  const paths = Object.keys(lock).filter((path) => path !== '')
  const reference = (path: string) => path || 'inkling'
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: committedAt,
      lifecycles: [{ phase: 'pre-build' }],
      component: {
        type: 'application',
        'bom-ref': reference(''),
        name: 'inkling',
        version: project.version,
        licenses: licensesOf(project),
      },
    },
    components: paths.map((path) => {
      const locked = lock[path] as LockedPackage
      const name = nameOf(path, locked)
      return {
        type: 'library',
        'bom-ref': reference(path),
        name,
        version: locked.version,
        scope: shipped.has(path) ? 'required' : 'excluded',
        ...(locked.integrity !== undefined && { hashes: [hashOf(locked.integrity)] }),
        licenses: licensesOf(locked),
        purl: purlOf(name, locked.version),
      }
    }),
    dependencies: Object.keys(lock).map((path) => ({
      ref: reference(path),
      dependsOn: (path === '' ? listDirect(lock) : listDependencies(lock, path)).map(reference).toSorted(),
    })),
  }
}

const listDirect = (lock: Lock): string[] => {
  const { dependencies, devDependencies } = lock[''] as LockedPackage
  return Object.keys({ ...dependencies, ...devDependencies }).map((name) => `node_modules/${name}`)
}

/** An SPDX id, or an expression such as `(MIT OR Apache-2.0)`. */
function licensesOf({ license }: LockedPackage): object[] {
  if (license === undefined) return []
  return [/^[\w.-]+$/.test(license) ? { license: { id: license } } : { expression: license }]
}

function hashOf(integrity: string): object {
  const [algorithm = '', base64 = ''] = integrity.split('-', 2)
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') }
}
