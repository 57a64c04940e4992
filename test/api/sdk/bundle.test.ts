import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROJECT } from '../../support/start-process.ts'

const run = promisify(execFile)
const DIST = join(PROJECT, 'api/sdk/dist')
const KIB = 1024

const gzippedBytes = async (name: string) => gzipSync(await readFile(join(DIST, name)), { level: 9 }).length

test.each([
  ['inkling.js', 5 * KIB],
  ['inkling.mjs', 5 * KIB],
  ['facts.mjs', 1.5 * KIB],
  ['graphics.mjs', 5 * KIB],
  ['react.mjs', 0.5 * KIB],
])('%s has at most %i bytes, gzipped', async (name, most) => {
  expect(await gzippedBytes(name)).toBeLessThanOrEqual(most)
})

test('integrity.json has the hash of every script and module', async () => {
  const integrity = JSON.parse(await readFile(join(DIST, 'integrity.json'), 'utf8'))
  const names = [
    'facts.mjs',
    'graphics.mjs',
    'hosted.js',
    'hosted.mjs',
    'inkling.js',
    'inkling.mjs',
    'react.mjs',
  ]
  expect(Object.keys(integrity)).toEqual(names)
  for (const name of names) {
    const hash = createHash('sha384').update(await readFile(join(DIST, name)))
    expect(integrity[name]).toBe(`sha384-${hash.digest('base64')}`)
  }
})

test('the version is that of the service', async () => {
  const [sdk, service] = await Promise.all(
    [join(DIST, 'package.json'), join(PROJECT, 'package.json')].map((path) => readFile(path, 'utf8')),
  )
  expect(JSON.parse(sdk ?? '').version).toBe(JSON.parse(service ?? '').version)
})

describe('the npm package', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'inkling-sdk-'))
    const { stdout } = await run('npm', ['pack', DIST, '--json', '--pack-destination', directory], {
      cwd: directory,
    })
    const [{ filename }] = Object.values(JSON.parse(stdout)) as [{ filename: string }]
    const package_ = join(directory, 'node_modules/@inkling/web')
    await mkdir(package_, { recursive: true })
    await run('tar', ['-xzf', join(directory, filename), '-C', package_, '--strip-components', '1'])
    await writeFile(join(directory, 'package.json'), '{ "type": "module" }')
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  /** Type-checks a page's module against the package. Returns the errors. */
  async function check(code: string, moduleResolution: 'bundler' | 'nodenext'): Promise<string> {
    await writeFile(join(directory, 'page.ts'), code)
    const options = {
      ...{
        moduleResolution,
        module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
        target: 'es2022',
      },
      ...{ lib: ['es2022', 'DOM'], types: [], strict: true, exactOptionalPropertyTypes: true, noEmit: true },
      paths: { react: [join(PROJECT, 'node_modules/@types/react/index.d.ts')] },
    }
    const config = { compilerOptions: options, files: ['page.ts'] }
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(PROJECT, 'node_modules/.bin/tsc')
    const { stdout } = await run(tsc, ['-p', directory]).catch((error: { stdout: string }) => error)
    return stdout
  }

  const PAGE = `
    import { start, type Segment } from '@inkling/web'
    import { CredoAppService, CredoAppServiceAsync } from '@inkling/web/hosted'
    import { useInkling } from '@inkling/web/react'
    const withoutFields = (segment: Segment): Segment | null => (segment.fields ? null : segment)
    const inkling = start({
      key: 'pk_x', endpoint: '/c', consent: 'pending', token: 't', modules: ['graphics'], ignore: '.private',
      device: { model: 'Pixel 9' }, beforeSend: withoutFields,
    })
    inkling.grant(); inkling.page('/step-2'); inkling.stop(); inkling.withdraw()
    const id: string | undefined = inkling.id
    const number: string | null = (await inkling.complete()).referenceNumber
    await new CredoAppService('https://x.example', 'pk_x').stopTrackingAndCompleteAsync('R-1')
    await new CredoAppServiceAsync('https://x.example', 'pk_x').startTrackingAsync('R-1')
    export { id, number, useInkling }`

  test.each(['bundler', 'nodenext'] as const)('has types for module resolution %s', async (resolution) => {
    expect(await check(PAGE, resolution)).toBe('')
  })

  test('rejects wrong options and members by their types', async () => {
    const code = `
      import { start } from '@inkling/web'
      start({ key: 'pk_x', endpoint: '/c' })
      start({ key: 'pk_x', endpoint: '/c', consent: 'yes' })
      start({ key: 'pk_x', endpoint: '/c', consent: 'granted', modules: ['fonts'] })
      start({ key: 'pk_x', endpoint: '/c', consent: 'granted' }).id = 'c_1'`
    const errors = (await check(code, 'bundler')).match(/page\.ts\(\d+/g)
    expect(errors).toEqual(['page.ts(3', 'page.ts(4', 'page.ts(5', 'page.ts(6'])
  })

  test('is imported and started on a server, where it does nothing', async () => {
    const code = `
      import { start } from '@inkling/web'
      const inkling = start({ key: 'pk_x', endpoint: '/c', consent: 'granted' })
      inkling.grant(); inkling.page(); inkling.stop(); inkling.withdraw()
      const { code } = await inkling.complete().catch((error) => error)
      process.stdout.write([String(inkling.id), code].join())`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: directory })
    expect(stdout).toBe('undefined,not_collecting')
  })
})
