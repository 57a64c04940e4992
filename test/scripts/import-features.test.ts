import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFeatureMap } from '../../scripts/scorecards/import/feature-map.ts'
import { importScorecard } from '../../scripts/scorecards/import/import-scorecard.ts'
import { readCsv } from '../../scripts/scorecards/import/read-table.ts'
import { addVerificationRows } from '../../scripts/scorecards/verify/add-verification-rows.ts'
import { rowsOfTables } from '../../scripts/scorecards/verify/expected-rows.ts'
import { verifyRows } from '../../scripts/scorecards/verify/verify-rows.ts'
import { compileScorecard } from '../../worker/scoring/compile-scorecard.ts'
import { findMismatch } from '../../worker/scoring/find-mismatch.ts'
import { aPmml } from '../support/a-pmml.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkling-features-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Scores 100, plus 7 if c is the first of two values. */
const model = (
  dataType: string,
  optype: string,
  [first, second]: readonly [string, string],
  declared = true,
) =>
  aPmml(
    `<RegressionModel functionName="regression"><MiningSchema><MiningField name="c"/>
      <MiningField name="t" usageType="target"/></MiningSchema><RegressionTable intercept="100">
      <CategoricalPredictor name="c" value="${first}" coefficient="7"/>
      <CategoricalPredictor name="c" value="${second}" coefficient="-5"/></RegressionTable></RegressionModel>`,
    {
      dictionary: `<DataField name="c" optype="${optype}" dataType="${dataType}">
        ${declared ? `<Value value="${first}"/><Value value="${second}"/>` : ''}</DataField>
        <DataField name="t" optype="continuous" dataType="double"/>`,
    },
  )

async function importWith(xml: string, map: string) {
  await Promise.all([writeFile(join(folder, 'm.pmml'), xml), writeFile(join(folder, 'map.csv'), map)])
  return importScorecard(join(folder, 'm.pmml'), {
    bad: 'default',
    probability: false,
    map: await readFeatureMap(join(folder, 'map.csv')),
  })
}

const values = (texts: string) => `input,feature,values\nc,device_rooted,${texts}\n`

describe('a boolean feature', () => {
  test.each<[what: string, xml: string, map: string]>([
    ['texts TRUE and FALSE', model('string', 'categorical', ['TRUE', 'FALSE']), values('')],
    ['texts that only its terms list', model('string', 'categorical', ['True', 'False'], false), values('')],
    [
      'texts Yes and No, given by the map',
      model('string', 'categorical', ['Yes', 'No']),
      values('true=Yes|false=No'),
    ],
    ['whole numbers that are categories', model('integer', 'categorical', ['1', '0']), values('')],
    ['doubles that are categories', model('double', 'categorical', ['1.0', '0.0']), values('')],
    ['booleans', model('boolean', 'categorical', ['true', 'false']), values('')],
  ])('of a model with %s has the same score in production and in verification', async (_, xml, map) => {
    const { card } = await importWith(xml, map)
    const { score } = compileScorecard(card)
    expect(score({ device_rooted: true }, 'android')).toMatchObject({ value: 107 })
    expect(score({ device_rooted: false }, 'android')).toMatchObject({ value: 95 })
    const [first, second] = [...xml.matchAll(/Predictor name="c" value="([^"]+)"/g)].map(([, text]) => text)
    const rows = rowsOf(card, `c,score\n${first},107\n${second},95\n`)
    expect(verifyRows(card, rows)).toMatchObject({ rows: 2, matched: 2 })
    const verified = addVerificationRows(card, rows)
    expect(findMismatch(verified, compileScorecard(verified))).toBeUndefined()
    // compared by the target only; the score is stored
    const byTarget = addVerificationRows(card, rowsOf(card, `c,t\n${first},107\n`))
    expect(byTarget.verification).toMatchObject([{ score: 107 }])
  })

  test.each([
    [
      'texts other than booleans',
      model('string', 'categorical', ['Yes', 'No']),
      values(''),
      /"Yes", "No". Map .*true=Yes\|false=No/,
    ],
    [
      'texts that the model does not have',
      model('string', 'categorical', ['Yes', 'No']),
      values('true=Y|false=N'),
      /the text "Y" for c, but the model has the texts "Yes", "No"/,
    ],
    ['only one of both', model('string', 'categorical', ['Yes', 'No']), values('true=Yes'), /map both/],
    [
      'values of a number',
      model('integer', 'categorical', ['1', '0']),
      values('true=1|false=0'),
      /c, which is a number/,
    ],
    [
      'no pairs',
      model('string', 'categorical', ['Yes', 'No']),
      values('Yes|No'),
      /map.csv, line 2, column values: "Yes" is not VALUE=TEXT/,
    ],
  ])('is rejected with advice for %s, which never match', async (_, xml, map, says) => {
    await expect(importWith(xml, map)).rejects.toThrow(says)
  })

  test('a definition whose rows match only by their texts is rejected', async () => {
    const { card } = await importWith(model('string', 'categorical', ['TRUE', 'FALSE']), values(''))
    const [input] = card.inputs
    const old = {
      ...card,
      inputs: [{ ...input, name: 'c', texts: undefined }] as typeof card.inputs,
      verification: [{ inputs: { c: 'TRUE' }, score: 107 }],
    }
    expect(findMismatch(old, compileScorecard(old))).toMatch(
      /verification row 1: score null, expected 107 \(c has an invalid value: "true"\)/,
    )
  })
})

test('map columns that the kind of model does not use are reported', async () => {
  const { notes } = await importWith(
    model('string', 'categorical', ['TRUE', 'FALSE']),
    'input,feature,missing,reason\nc,device_rooted,NA,R1\n',
  )
  expect(notes).toContain("The map's missing, reason of c are not used: the file defines it")
})

describe('a feature that is a number', () => {
  const number = 'input,feature,values\nc,device_sim_count,'

  test.each([
    ['"1.0" and "2.0"', model('string', 'categorical', ['1.0', '2.0']), `${number}\n`],
    [
      '"one" and "two", given by the map',
      model('string', 'categorical', ['one', 'two']),
      `${number}1=one|2=two\n`,
    ],
    ['"1" and "2"', model('string', 'categorical', ['1', '2']), `${number}\n`],
  ])('matches the texts %s', async (_, xml, map) => {
    const { score } = compileScorecard((await importWith(xml, map)).card)
    expect(score({ device_sim_count: 1 }, 'ios')).toMatchObject({ value: 107 })
    expect(score({ device_sim_count: 2 }, 'ios')).toMatchObject({ value: 95 })
  })

  test.each([
    ['texts that are not numbers', ['one', 'two'], '', /is a number, so they never match.*1=one\|2=two/],
    ['texts of the same number', ['1', '1.0'], '', /never match/],
    ['values that are not numbers', ['one', 'two'], 'I=one|II=two', /value I of c/],
  ] as const)('is rejected with advice for %s', async (_, texts, map, says) => {
    await expect(importWith(model('string', 'categorical', texts), `${number}${map}\n`)).rejects.toThrow(says)
  })
})

describe('a feature that is a category', () => {
  const brand = 'input,feature,values\nc,device_brand,'

  test('is in lower case, independent of the case in the model', async () => {
    const { card, notes } = await importWith(model('string', 'categorical', ['Apple', 'NOKIA']), `${brand}\n`)
    expect(notes).toContain('c: device_brand is read as apple=Apple|nokia=NOKIA')
    const { score } = compileScorecard(card)
    expect(score({ device_brand: 'apple' }, 'ios')).toMatchObject({ value: 107 })
    expect(score({ device_brand: 'nokia' }, 'ios')).toMatchObject({ value: 95 })
    expect(verifyRows(card, rowsOf(card, 'c,score\nApple,107\nNOKIA,95\n'))).toMatchObject({ matched: 2 })
  })

  test('can be renamed by the map', async () => {
    const { card } = await importWith(
      model('string', 'categorical', ['AAPL', 'NOK']),
      `${brand}apple=AAPL|nokia=NOK\n`,
    )
    expect(compileScorecard(card).score({ device_brand: 'nokia' }, 'ios')).toMatchObject({ value: 95 })
  })

  test('is rejected if the model has texts that differ only in case', async () => {
    await expect(
      importWith(model('string', 'categorical', ['Apple', 'APPLE']), `${brand}\n`),
    ).rejects.toThrow(/differ only in case or white space, for example "APPLE"/)
  })

  test('works with a points table too', async () => {
    await writeFile(join(folder, 'card.csv'), 'variable,bin,points\nc,Apple,7\nc,else,0\nc,missing,1\n')
    await writeFile(join(folder, 'map.csv'), `${brand}\n`)
    const map = await readFeatureMap(join(folder, 'map.csv'))
    const { card } = await importScorecard(join(folder, 'card.csv'), {
      bad: 'default',
      probability: false,
      map,
    })
    expect(compileScorecard(card).score({ device_brand: 'apple' }, 'ios')).toMatchObject({ value: 7 })
    expect(compileScorecard(card).score({ device_brand: 'nokia' }, 'ios')).toMatchObject({ value: 0 })
  })
})

function rowsOf(card: Parameters<typeof rowsOfTables>[0], csv: string) {
  const table = readCsv(csv, 'rows.csv')
  return rowsOfTables(card, table, table).rows
}
