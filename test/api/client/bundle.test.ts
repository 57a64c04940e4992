import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { PROJECT } from '../../support/start-process.ts'

const CLIENT = join(PROJECT, 'api/client')

test('the client has at most 15 KB, minified, and no dependency', async () => {
  const entry = join(CLIENT, 'src/index.ts')
  const [bundle] = [
    await build({
      ...{ root: CLIENT, configFile: false, logLevel: 'error' },
      build: {
        ...{
          write: false,
          minify: true,
          target: 'node20',
          lib: { entry, formats: ['es'], fileName: 'client' },
        },
        rolldownOptions: { external: /^node:/ },
      },
    }),
  ].flat()
  if (!bundle || !('output' in bundle)) throw new Error('Nothing was built')
  const [{ code, imports }] = bundle.output
  expect(code.length).toBeLessThanOrEqual(15_000)
  expect(imports.filter((name) => !name.startsWith('node:'))).toEqual([])
  const manifest = JSON.parse(await readFile(join(CLIENT, 'package.json'), 'utf8'))
  expect(manifest).not.toHaveProperty('dependencies')
})

test('the version is that of the service', async () => {
  const [client, service] = await Promise.all(
    [CLIENT, PROJECT].map((folder) => readFile(join(folder, 'package.json'), 'utf8')),
  )
  expect(JSON.parse(client ?? '').version).toBe(JSON.parse(service ?? '').version)
})
