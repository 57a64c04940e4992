/** Runs the command named by its first argument; reports a missing package with a helpful message. */
import { join } from 'node:path'

const [, , name = '', ...args] = process.argv
const entry = join(import.meta.dirname, `${name}.ts`)
process.argv = [process.execPath, entry, ...args]

try {
  await import(entry)
} catch (error) {
  const missing = findMissingPackage(error)
  if (missing === undefined) throw error
  process.stderr.write(
    `scripts/${name} needs the npm package ${missing}, which is not installed. In a checkout for development, run ` +
      'scripts/setup, which installs all packages; npm ci --omit=dev leaves out those for development.\n',
  )
  process.exitCode = 1
}

function findMissingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) return undefined
  return /^Cannot find package '([^']+)'/.exec(error.message)?.[1]
}
