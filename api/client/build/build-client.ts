import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const CLIENT = join(import.meta.dirname, '..')

/** The compiler of this project, which the name `typescript` is not. */
const TSC = join(
  dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json')),
  'bin/tsc',
)

/**
 * Builds the npm package into a folder, by default `api/client/dist`: a module for each source file, with its types. It is not
 * minified, so that stack traces name our lines. The types of the API must be generated (scripts/generate-client).
 *
 * @throws Error with the errors of the type check.
 */
export async function buildClient(dist = join(CLIENT, 'dist')): Promise<void> {
  await rm(dist, { recursive: true, force: true })
  await mkdir(dist, { recursive: true })
  await promisify(execFile)(process.execPath, [TSC, '-p', CLIENT, '--outDir', dist])
  await copyFile(join(CLIENT, 'src/openapi.d.ts'), join(dist, 'openapi.d.ts'))
  for (const name of await readdir(dist)) {
    const text = await readFile(join(dist, name), 'utf8')
    // the types of the API are not of a module that exists at run time
    if (name.endsWith('.d.ts'))
      await writeFile(join(dist, name), text.replace(/\.(?:d\.)?ts(?=['"])/g, '.js'))
  }
  for (const name of ['package.json', 'README.md']) await copyFile(join(CLIENT, name), join(dist, name))
  await copyFile(join(CLIENT, '../../LICENSE'), join(dist, 'LICENSE'))
}
