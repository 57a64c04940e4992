import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { parse, parseAllDocuments } from 'yaml'
import { PROJECT } from '../start-process.ts'

export const readText = (path: string): string => readFileSync(join(PROJECT, path), 'utf8')

/** A service of compose.yaml, as far as the tests read it. */
export interface ComposeService {
  readonly command?: string | readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly networks?: readonly string[]
  readonly ports?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly stop_grace_period?: string
  readonly volumes?: readonly string[]
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly networks: Readonly<Record<string, { ipam?: { config: readonly { subnet: string }[] } }>>
}

export const readCompose = (): ComposeFile => parse(readText('compose.yaml'), { merge: true })

interface EnvVar {
  readonly name: string
  readonly value?: string
}

export interface Container {
  readonly name: string
  readonly command: readonly string[]
  readonly env?: readonly EnvVar[]
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
}

/** An object of Kubernetes, as far as the tests read it, and its file. */
export interface Manifest {
  readonly path: string
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly replicas?: number
    readonly template?: {
      readonly spec: {
        readonly automountServiceAccountToken: boolean
        readonly securityContext: Readonly<Record<string, unknown>>
        readonly terminationGracePeriodSeconds?: number
        readonly containers: readonly Container[]
      }
    }
  }
}

/** The objects in a text of YAML. */
export const readManifests = (text: string, path: string): Manifest[] =>
  parseAllDocuments(text).map((document) => ({ path, ...document.toJS() }))

/** YAML files below deploy/kubernetes. */
export const kubernetesFiles = readdirSync(join(PROJECT, 'deploy/kubernetes'), {
  recursive: true,
  withFileTypes: true,
})
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(PROJECT, join(parentPath, name)))
  .toSorted()

export const manifests = kubernetesFiles.flatMap((path) => readManifests(readText(path), path))

export const readPrometheus = (name: string): unknown => parse(readText(`deploy/prometheus/${name}`))
export const readRender = (): unknown => parse(readText('render.yaml'))
export const readFly = (): unknown => parseToml(readText('fly.toml'))
export const readAppJson = (): unknown => JSON.parse(readText('app.json'))
