import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ScaledObject, TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Job } from 'kubernetes-models/batch/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-models/v1'
import { expect, test } from 'vitest'
import {
  kubernetesFiles,
  type Manifest,
  manifests,
  readManifests,
  readText,
} from '../support/deploy/files.ts'
import { findProgram } from '../support/find-program.ts'
import { PROJECT } from '../support/start-process.ts'

/** The published schemas of Kubernetes and KEDA. */
const SCHEMAS = {
  'apps/v1': { Deployment },
  'autoscaling/v2': { HorizontalPodAutoscaler },
  'batch/v1': { Job },
  'keda.sh/v1alpha1': { ScaledObject, TriggerAuthentication },
  'networking.k8s.io/v1': { Ingress, NetworkPolicy },
  'policy/v1': { PodDisruptionBudget },
  v1: { ConfigMap, Namespace, Service, ServiceAccount },
}
type Schema = new (data: never) => { validate(): void }

const isKustomization = ({ kind }: Manifest) => kind === 'Kustomization'
const objects = manifests.filter((one) => !isKustomization(one))

/** @throws unless the values of an object have the types, formats and required members of its schema. */
function check({ path, apiVersion, kind, ...data }: Manifest): void {
  const kinds: Record<string, Schema> = SCHEMAS[apiVersion as keyof typeof SCHEMAS] ?? {}
  const schema = kinds[kind]
  if (!schema) throw new Error(`${path}: there is no ${kind} in ${apiVersion}`)
  new schema(data as never).validate()
}

test('each object has the form that Kubernetes and KEDA publish', () => {
  expect(objects.length).toBeGreaterThan(15)
  for (const one of objects) check(one)
  const [job] = objects.filter(({ kind }) => kind === 'Job')
  expect(() => check({ ...job, spec: {} } as Manifest)).toThrow(/template/)
})

test('each member of an object is one that Kubernetes or KEDA knows', () => {
  // The schemas accept unknown members, which kubectl rejects; TypeScript rejects them in a literal.
  mkdirSync(join(PROJECT, 'node_modules/.cache'), { recursive: true })
  const folder = mkdtempSync(join(PROJECT, 'node_modules/.cache/manifests-'))
  const packageOf = (apiVersion: string) =>
    `${apiVersion.startsWith('keda') ? '@kubernetes-models/keda' : 'kubernetes-models'}/${apiVersion}`
  const lines = objects.map(({ path: _, apiVersion, kind, ...data }, index) =>
    [
      `import { ${kind} as Kind${index} } from '${packageOf(apiVersion)}'`,
      `export const one${index} = new Kind${index}(${JSON.stringify(data)})`,
    ].join('\n'),
  )
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', types: [] }
  try {
    writeFileSync(join(folder, 'manifests.mts'), lines.join('\n'))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['manifests.mts'] }),
    )
    const compile = () =>
      execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), ['-p', folder], {
        encoding: 'utf8',
        stdio: 'pipe',
      })
    expect(compile()).toBe('')
    writeFileSync(join(folder, 'manifests.mts'), lines.join('\n').replace('"drop":', '"dorp":'))
    expect(compile).toThrow()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('each pod runs without privileges, and without a token', () => {
  const pods = objects.flatMap(({ spec }) => spec?.template ?? [])
  expect(pods).toHaveLength(3)
  for (const { spec } of pods) {
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      serviceAccountName: 'inkling',
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    })
    for (const { securityContext } of spec.containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
  }
})

test('each file is part of a kustomization', () => {
  const listed = manifests.filter(isKustomization).flatMap(({ path, ...one }) => {
    const { resources } = one as unknown as { resources: string[] }
    return resources.map((name) => join(dirname(path), name))
  })
  const files = kubernetesFiles.filter((path) => !path.endsWith('/kustomization.yaml'))
  expect(listed.filter((path) => path.endsWith('.yaml')).toSorted()).toEqual(files)
})

const kubectl = findProgram(['kubectl'])

test.skipIf(kubectl === undefined)('the overlays build, and KEDA alone sets the number of workers', () => {
  const build = (folder: string) =>
    readManifests(
      execFileSync(kubectl ?? '', ['kustomize', join(PROJECT, 'deploy/kubernetes', folder)], {
        encoding: 'utf8',
      }),
      folder,
    )
  const built = Object.fromEntries(
    ['base', 'release', 'overlays/traefik', 'overlays/keda'].map((folder) => [folder, build(folder)]),
  )
  for (const one of Object.values(built).flat()) check(one)
  const replicasOf = (folder: string) =>
    built[folder]?.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'worker')?.spec
      ?.replicas
  expect(replicasOf('base')).toBe(2)
  expect(replicasOf('overlays/keda')).toBeUndefined()
  expect(readText('deploy/kubernetes/base/kustomization.yaml')).toMatch(/newTag: (\S+)/)
})
