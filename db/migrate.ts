/** The release process: applies pending migrations, then exits. */
import { z } from 'zod'
import { migrateDatabase } from './migrate-database.ts'
import { databaseOptions } from './postgres/database.ts'
import { databaseVariables, readEnvOrExit } from './runtime/env.ts'

const env = readEnvOrExit(z.object(databaseVariables), process.env)
try {
  const { applied } = await migrateDatabase(databaseOptions(env))
  process.stdout.write(
    applied.length === 0 ? 'The database is up to date\n' : `Applied ${applied.join(', ')}\n`,
  )
} catch (error) {
  const reason = error instanceof Error ? error.message || String(error) : String(error)
  process.stderr.write(`Could not migrate the database: ${reason}\n`)
  process.exitCode = 1
}
