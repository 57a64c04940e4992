import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importScorecard } from '../../scripts/scorecards/import/import-scorecard.ts'
import type { ImportOptions } from '../../scripts/scorecards/import/import-types.ts'
import { readScorecard } from '../../scripts/scorecards/read-scorecard.ts'
import { compileScorecard } from '../../worker/scoring/compile-scorecard.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkling-import-pmml-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function importXml(xml: string, options: ImportOptions) {
  const file = join(folder, 'model.pmml')
  await writeFile(file, xml)
  return importScorecard(file, { bad: '90 days past due', ...options })
}

const DICTIONARY = `<Header><Application name="SAS" version="9.4"/></Header><DataDictionary>
  <DataField name="amount" optype="continuous" dataType="double"/>
  <DataField name="score" optype="continuous" dataType="double"/>
  <DataField name="default" optype="categorical" dataType="string"><Value value="yes"/><Value value="no"/></DataField>
</DataDictionary>`

const pmml = (model: string) =>
  `<PMML xmlns="http://www.dmg.org/PMML-4_2" version="4.2">${DICTIONARY}${model}</PMML>`

const CARD =
  pmml(`<Scorecard functionName="regression" initialScore="500" useReasonCodes="true" reasonCodeAlgorithm="pointsBelow" baselineScore="20">
  <MiningSchema><MiningField name="amount"/><MiningField name="score" usageType="target"/></MiningSchema>
  <Output><OutputField name="points" feature="predictedValue" dataType="double" optype="continuous"/></Output>
  <Characteristics><Characteristic name="amounts" reasonCode="LOW" baselineScore="20">
    <Attribute partialScore="-10"><SimplePredicate field="amount" operator="lessThan" value="100"/></Attribute>
    <Attribute partialScore="30"><True/></Attribute>
  </Characteristic></Characteristics></Scorecard>`)

const LOGISTIC = pmml(`<RegressionModel functionName="classification" normalizationMethod="logit">
  <MiningSchema><MiningField name="amount"/><MiningField name="default" usageType="target"/></MiningSchema>
  <RegressionTable targetCategory="yes" intercept="-2"><NumericPredictor name="amount" coefficient="0.5"/></RegressionTable>
  <RegressionTable targetCategory="no" intercept="0"/></RegressionModel>`)

test('a PMML scorecard gives a score with its own reason codes, and the tool that wrote it', async () => {
  const { card, format } = await importXml(CARD, {
    probability: false,
    texts: { LOW: { en: 'A low amount', de: 'Kleiner Betrag' } },
  })
  expect(format).toBe('pmml')
  expect(card.source.tool).toBe('SAS 9.4')
  expect(card.reasons.texts).toEqual({ LOW: { en: 'A low amount', de: 'Kleiner Betrag' } })
  const { scoreRow } = compileScorecard(card)
  expect(scoreRow({ amount: 99 }, 'web')).toMatchObject({ value: 490, reasons: ['LOW'], probability: null })
  expect(scoreRow({ amount: 100 }, 'web')).toMatchObject({ value: 530, reasons: [] })
})

test('a missing scaling line, which the probability needs, is requested', async () => {
  await expect(importXml(CARD, {})).rejects.toThrow(
    /model.pmml does not define the scaling of its scores.*--pdo, --base-score, --base-odds, --odds, or --no-probability/,
  )
  const { card } = await importXml(CARD, { pdo: 20, baseScore: 530, baseOdds: 9, odds: 'good:bad' })
  expect(compileScorecard(card).scoreRow({ amount: 100 }, 'web')).toMatchObject({
    value: 530,
    probability: 0.1,
    probabilityFrom: 'scaling',
  })
})

test('a model that predicts categories requires the bad category, whose log-odds give the score', async () => {
  const scaled: ImportOptions = { pdo: 20, baseScore: 600, baseOdds: 1, odds: 'good:bad' }
  await expect(importXml(LOGISTIC, scaled)).rejects.toThrow(
    /predicts one of yes, no: give the bad one with --bad-category/,
  )
  await expect(importXml(LOGISTIC, { ...scaled, badCategory: 'maybe' })).rejects.toThrow(
    /does not predict the category "maybe"; it predicts yes, no/,
  )
  await expect(importXml(LOGISTIC, { badCategory: 'yes' })).rejects.toThrow(
    /gives probabilities and does not define their scaling/,
  )
  const { card } = await importXml(LOGISTIC, { ...scaled, badCategory: 'yes' })
  const logOdds = -2 + 0.5 * 3
  expect(compileScorecard(card).scoreRow({ amount: 3 }, 'web')).toMatchObject({
    unrounded: expect.closeTo(600 - (20 / Math.LN2) * logOdds, 9),
    unroundedProbability: expect.closeTo(1 / (1 + Math.exp(-logOdds)), 12),
    probabilityFrom: 'model',
  })
})

test('verification rows of the file are checked on import, and a mismatch rejects the file', async () => {
  const withRow = (points: number) =>
    CARD.replace(
      '</Scorecard>',
      `<ModelVerification><VerificationFields><VerificationField field="amount" column="a"/>
       <VerificationField field="points" column="p"/></VerificationFields>
       <InlineTable><row><a>99</a><p>${points}</p></row></InlineTable></ModelVerification></Scorecard>`,
    )
  expect(await importXml(withRow(490), { probability: false })).toMatchObject({ verified: 1 })
  await expect(importXml(withRow(491), { probability: false })).rejects.toThrow(
    /model.pmml does not reproduce its ModelVerification: line \d+: points should be 491, but is 490/,
  )
})

test('unsupported elements are rejected with file, line and element', async () => {
  await expect(
    importXml(pmml('<NeuralNetwork functionName="regression"/>'), { probability: false }),
  ).rejects.toThrow(/^model.pmml: line \d+, <NeuralNetwork>: this kind of model is not supported/)
})

test('a definition with inconsistent PMML is rejected with a message on deployment', async () => {
  const map = new Map([['amount', { feature: 'contacts_count' }]])
  const { card } = await importXml(CARD, { probability: false, map })
  const file = join(folder, 'card.json')
  const text = JSON.stringify(card)
  await writeFile(file, text)
  expect(await readScorecard(file)).toMatchObject({ name: 'model' })
  await writeFile(file, text.replace('"field":"amount"', '"field":"amounts"'))
  await expect(readScorecard(file)).rejects.toThrow(/is not a scorecard: unknown field "amounts"/)
})
