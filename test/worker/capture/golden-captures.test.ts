import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { PLATFORMS } from '../../../db/capture/capture.ts'
import { STORE_POLICIES, STORES, type StorePolicy } from '../../../db/capture/store-policies.ts'
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

/** After a change of features: docs/capture-format.md, Golden captures, has the command that writes the files again. */
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

test('docs/capture-format.md lists each golden capture, and each rule of a store with its effect', () => {
  const text = readFileSync(join(PROJECT, 'docs/capture-format.md'), 'utf8')
  const listed = [...text.matchAll(/\(conformance\/([\w-]+)\.json\)/g)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual(NAMES.toSorted())
  const rows = [...text.matchAll(/^\| (?:`\w+`)? ?\| `(\w+)` \| (\w+) \|/gm)].map(([, rule, effect]) => [
    rule,
    effect,
  ])
  const rules = Object.values(STORE_POLICIES).flatMap((policy: StorePolicy) => Object.entries(policy.rules))
  expect(rows).toEqual(rules.map(([rule, { effect }]) => [rule, effect]))
})
