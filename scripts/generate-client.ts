import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { describeEndpoints } from '../api/docs/openapi.ts'
import { listEndpoints, type Stores } from '../api/endpoints.ts'
import type { Endpoint } from '../api/http/endpoint.ts'
import { openDatabase } from '../db/postgres/database.ts'

new Command('scripts/generate-client')
  .description(
    'Generates the TypeScript types of the API, for the portal and for @inkling/client, from the OpenAPI document.',
  )
  .addHelpText(
    'after',
    `
Writes openapi.d.ts in api/portal/client and api/client/src, which git ignores. Run it after changing a route; the
type check runs it too.

Examples:
  scripts/generate-client
  npm run typecheck`,
  )
  .parse()

// Only the declarations of the endpoints are used; the database is never connected.
const db = openDatabase({ url: 'postgres://nowhere.invalid/none', poolMax: 2 })
const endpoints = listEndpoints({ db } as Stores, { insightWaitMs: 0 })
await writeTypes('api/portal/client', endpoints)
// the package calls what a key may call
await writeTypes(
  'api/client/src',
  endpoints.filter(({ credential }) => 'scope' in credential),
)
await db.destroy()

async function writeTypes(folder: string, described: readonly Endpoint[]): Promise<void> {
  const types = await openapiTypes(describeEndpoints(described) as unknown as OpenAPI3)
  const text = `// Written by scripts/generate-client from the OpenAPI document. Not in git.\n${astToString(types)}`

  const directory = join(import.meta.dirname, '..', folder)
  const file = join(directory, 'openapi.d.ts')
  const before = await readFile(file, 'utf8').catch(() => undefined)
  if (before === text) return
  await mkdir(directory, { recursive: true })
  await writeFile(file, text)
}
