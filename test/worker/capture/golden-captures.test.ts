import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { PLATFORMS } from '../../../db/capture/capture.ts'
import { STORES } from '../../../db/capture/store-policies.ts'
import { checkCapture, type ValidReport } from '../../../scripts/capture-check/check-capture.ts'
import { PROJECT } from '../../support/start-process.ts'

const FOLDER = join(PROJECT, 'docs/conformance')
const NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json') && !file.endsWith('.features.json'))
  .map((file) => file.replace('.json', ''))

const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8')

function check(name: string): ValidReport {
  const report = checkCapture(name, { encoding: 'json', blob: gzipSync(read(`${name}.json`)) }, [])
  if (!report.valid) throw new Error(`${name}: ${JSON.stringify(report.faults)}`)
  return report
}

/** After a change of features: scripts/check-capture --features NAME.json > NAME.features.json, then npm run format. */
describe.each(NAMES)('the golden capture %s', (name) => {
  test('gives the expected features, and has no member that is not in the format', () => {
    const { features, ignored } = check(name)
    expect(Object.fromEntries(features.map(({ name, value }) => [name, value]))).toEqual(
      JSON.parse(read(`${name}.features.json`)),
    )
    expect(ignored).toEqual([])
  })
})

test.each(PLATFORMS)(
  'the full capture of %s gives every feature that does not depend on its upload',
  (platform) => {
    const { platform: own, missing } = check(`${platform}-full`)
    expect({ own, missing }).toEqual({ own: platform, missing: [] })
  },
)

test('the store captures break no policy, and the full ones break each', () => {
  const storesOf = (passing: boolean) => (name: string) =>
    check(name).stores.flatMap(({ store, passes }) => (passes === passing ? [store] : []))
  expect(
    NAMES.filter((name) => name.endsWith('-store'))
      .flatMap(storesOf(true))
      .toSorted(),
  ).toEqual(STORES.toSorted())
  expect(
    NAMES.filter((name) => name.endsWith('-full'))
      .flatMap(storesOf(false))
      .toSorted(),
  ).toEqual(STORES.toSorted())
})
