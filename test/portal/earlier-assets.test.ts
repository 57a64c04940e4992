import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { keepEarlierAssets } from '../../api/portal/build/keep-earlier-assets.ts'

const HOUR_MS = 3_600_000

test('a build keeps the assets of earlier builds for one day', async () => {
  const root = await mkdtemp(join(tmpdir(), 'inkling-build-'))
  let now = Date.now()
  const buildWith = async (text: string) => {
    await writeFile(join(root, 'index.html'), '<script type="module" src="/main.js"></script>')
    await writeFile(join(root, 'main.js'), `document.title = ${JSON.stringify(text)}`)
    await build({
      ...{ root, configFile: false, logLevel: 'error' },
      plugins: [keepEarlierAssets(() => now)],
      build: { emptyOutDir: false },
    })
    return readdir(join(root, 'dist/assets'))
  }
  try {
    const first = await buildWith('first')
    expect(first).toHaveLength(1)
    now += 100 * HOUR_MS // the first version is older than a day before the second build
    const both = await buildWith('second')
    expect(both).toEqual(expect.arrayContaining(first))
    expect(both).toHaveLength(2)
    now += 23 * HOUR_MS
    expect(await buildWith('second')).toHaveLength(2)
    now += 2 * HOUR_MS
    const last = await buildWith('second')
    expect(last).toHaveLength(1)
    expect(last).not.toEqual(first)
  } finally {
    await rm(root, { recursive: true })
  }
})
