import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { describeEndpoints } from '../api/docs/openapi.ts'
import { listEndpoints, type Stores } from '../api/endpoints.ts'
import { openDatabase } from '../db/postgres/database.ts'

new Command('scripts/generate-client')
  .description('Writes the types of the API, from its OpenAPI document, for the pages of the portal.')
  .addHelpText(
    'after',
    `
They are in api/portal/client/openapi.d.ts, which git ignores. Run it when a route has changed; the type check does, too.

Examples:
  scripts/generate-client
  npm run typecheck`,
  )
  .parse()

const directory = join(import.meta.dirname, '../api/portal/client')
const file = join(directory, 'openapi.d.ts')

// Only what the endpoints declare is used, never what they do: this database is never connected to.
const db = openDatabase({ url: 'postgres://nowhere.invalid/none', poolMax: 2 })
const endpoints = listEndpoints({ db } as Stores, { insightWaitMs: 0 })
const types = await openapiTypes(describeEndpoints(endpoints) as unknown as OpenAPI3)
const text = `// Written by scripts/generate-client from the OpenAPI document. Not kept in git.\n${astToString(types)}`

const before = await readFile(file, 'utf8').catch(() => undefined)
if (before !== text) {
  await mkdir(directory, { recursive: true })
  await writeFile(file, text)
}
await db.destroy()
