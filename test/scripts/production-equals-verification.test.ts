import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PLATFORMS } from '../../db/capture/capture.ts'
import { FEATURES, type Features, isFeatureName } from '../../db/capture/features.ts'
import { findExplainedInsight } from '../../db/datasets/insights.ts'
import { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { promoteScorecard } from '../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { generateCaptures } from '../../scripts/captures/generate-captures.ts'
import { readFeatureMap } from '../../scripts/scorecards/import/feature-map.ts'
import { importScorecard } from '../../scripts/scorecards/import/import-scorecard.ts'
import type { ImportOptions } from '../../scripts/scorecards/import/import-types.ts'
import type { Table } from '../../scripts/scorecards/import/read-table.ts'
import { addVerificationRows } from '../../scripts/scorecards/verify/add-verification-rows.ts'
import { rowsOfTables } from '../../scripts/scorecards/verify/expected-rows.ts'
import { isAbsent } from '../../scripts/scorecards/verify/row-texts.ts'
import { verifyRows } from '../../scripts/scorecards/verify/verify-rows.ts'
import { compileScorecard } from '../../worker/scoring/compile-scorecard.ts'
import { findMismatch } from '../../worker/scoring/find-mismatch.ts'
import { aPmml } from '../support/a-pmml.ts'
import { arbitraryCapture } from '../support/arbitrary-captures.ts'
import { anUpload } from '../support/captures.ts'
import { readByCode, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'
import { XGBOOST } from '../support/xgboost-model.ts'

vi.setConfig({ testTimeout: 120_000 }) // several hundred uploads over HTTP

const BRANDS = ['Samsung', 'Apple', 'Xiaomi', 'OPPO', 'vivo']

/** A text, a whole number and a decimal text that are categories, a brand with capitals, and a number. */
const PMML = aPmml(
  `<RegressionModel functionName="regression"><MiningSchema><MiningField name="ROOTED"/><MiningField name="EMULATOR"/>
    <MiningField name="SIMS" invalidValueTreatment="asMissing"/><MiningField name="BRAND" invalidValueTreatment="asMissing"/>
    <MiningField name="CONTACTS" missingValueReplacement="-3"/><MiningField name="t" usageType="target"/></MiningSchema>
    <RegressionTable intercept="100"><NumericPredictor name="CONTACTS" coefficient="0.125"/>
    <CategoricalPredictor name="ROOTED" value="TRUE" coefficient="10"/><CategoricalPredictor name="ROOTED" value="FALSE" coefficient="-20"/>
    <CategoricalPredictor name="EMULATOR" value="1" coefficient="40"/><CategoricalPredictor name="EMULATOR" value="0" coefficient="-80"/>
    <CategoricalPredictor name="SIMS" value="1.0" coefficient="160"/><CategoricalPredictor name="SIMS" value="2.0" coefficient="-320"/>
    ${BRANDS.map((brand, n) => `<CategoricalPredictor name="BRAND" value="${brand}" coefficient="${640 + n}"/>`).join('')}
    </RegressionTable></RegressionModel>`,
  {
    dictionary: `
      <DataField name="ROOTED" optype="categorical" dataType="string"><Value value="TRUE"/><Value value="FALSE"/></DataField>
      <DataField name="EMULATOR" optype="categorical" dataType="integer"><Value value="0"/><Value value="1"/></DataField>
      <DataField name="SIMS" optype="categorical" dataType="string"><Value value="1.0"/><Value value="2.0"/></DataField>
      <DataField name="BRAND" optype="categorical" dataType="string">${BRANDS.map((brand) => `<Value value="${brand}"/>`).join('')}</DataField>
      <DataField name="CONTACTS" optype="continuous" dataType="integer"/>
      <DataField name="t" optype="continuous" dataType="double"/>`,
  },
)
const PMML_MAP = `input,feature
ROOTED,device_rooted\nEMULATOR,device_emulator\nSIMS,device_sim_count\nBRAND,device_brand\nCONTACTS,contacts_count\n`

const CARD = `variable,bin,points
basepoints,,500
vpn,TRUE,-7.25\nvpn,FALSE,3\nvpn,missing,0
brand,"Samsung%,%Apple",11\nbrand,else,-13\nbrand,missing,1
hour,"[-inf,6)",-17\nhour,"[6,22)",19\nhour,"[22,inf)",-23\nhour,missing,2
`
const CARD_MAP = 'input,feature\nvpn,device_vpn\nbrand,device_brand\nhour,time_hour_local\n'
const TREES_MAP = `input,feature,categories\nage,device_storage_free_share,\ngrade,device_brand,${BRANDS.join('|')}\n`

let service: Service
let tenant: Tenant
let cards: { code: string; card: Scorecard }[]

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  const folder = await mkdtemp(join(tmpdir(), 'inkling-production-'))
  const open = async (code: string, name: string, text: string, map: string, options: ImportOptions) => {
    await Promise.all([writeFile(join(folder, name), text), writeFile(join(folder, `${code}.csv`), map)])
    const { card } = await importScorecard(join(folder, name), {
      bad: 'default',
      platforms: PLATFORMS,
      map: await readFeatureMap(join(folder, `${code}.csv`)),
      ...options,
    })
    const version = await saveDefinition(service.db, tenant.subscriptionId, Scorecard.parse(card))
    await service.db.transaction((trx) =>
      promoteScorecard(trx, { subscriptionId: tenant.subscriptionId, code, version }),
    )
    return { code, card: Scorecard.parse(card) }
  }
  const scaling = { pdo: 20, baseScore: 600, baseOdds: 20, odds: 'good:bad' } as const
  cards = [
    await open('pmml', 'm.pmml', PMML, PMML_MAP, { probability: false }),
    await open('points', 'c.csv', CARD, CARD_MAP, scaling),
    await open('trees', 't.json', XGBOOST, TREES_MAP, scaling),
  ]
  await rm(folder, { recursive: true })
})
afterAll(() => service.stop())

interface Scored {
  readonly features: Features
  readonly scores: readonly {
    readonly code: string
    readonly value: number | null
    readonly probability: number | null
  }[]
}

/** Uploads captures as a client does and reads their results. */
async function scoreInProduction(captures: readonly object[]): Promise<Scored[]> {
  return Promise.all(
    captures.map(async (capture) => {
      const body = anUpload({ ...capture })
      expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
      const read = () => readByCode(service.url, tenant.requesterKey, body.referenceNumber)
      // the service returns 503 if the worker is busy for longer than it waits; the client retries
      await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toBe(200)
      const insight = await findExplainedInsight(service.db, tenant.subscriptionId, body.referenceNumber)
      return { features: insight?.features as Features, scores: insight?.scores as Scored['scores'] }
    }),
  )
}

/** The texts in the file of an analyst, which are those of the tool of the model. */
function textOf(value: Features[keyof Features], { name }: Scorecard['inputs'][number]): string {
  if (value === undefined) return name === 'BRAND' ? '' : 'NA'
  if (name === 'SIMS') return `${value}.0`
  if (name === 'EMULATOR') return value === true ? '1' : '0'
  if (typeof value === 'boolean') return String(value).toUpperCase()
  return BRANDS.find((brand) => brand.toLowerCase() === value) ?? String(value)
}

/** The rows of an analyst for scored captures, with the results of production. */
function tableOf({ code, card }: (typeof cards)[number], scored: readonly Scored[]): Table {
  const rows = scored.map(({ features, scores }, at) => {
    const { value = null, probability = null } = scores.find((score) => score.code === code) ?? {}
    const inputs = card.inputs.map((input) => {
      const { feature = '' } = input
      return [input.name, textOf(isFeatureName(feature) ? features[feature] : undefined, input)]
    })
    const results = { score: value ?? '', ...(card.probability && { probability: probability ?? '' }) }
    const cells = Object.entries({ ...Object.fromEntries(inputs), ...results })
    return {
      place: `row ${at}`,
      cells: Object.fromEntries(cells.map(([name, cell]) => [name, String(cell)])),
    }
  })
  return { file: `${code}.csv`, columns: Object.keys(rows[0]?.cells ?? {}), rows }
}

const seen = new Map<string, Set<unknown>>()

function expectVerified(scored: readonly Scored[]): void {
  for (const one of cards) {
    const table = tableOf(one, scored)
    const { rows, notCompared } = rowsOfTables(one.card, table, table)
    expect(notCompared).toEqual([])
    expect(verifyRows(one.card, rows)).toMatchObject({ matched: scored.length, rows: scored.length })
    const verified = addVerificationRows(one.card, rows)
    expect(findMismatch(verified, compileScorecard(verified))).toBeUndefined()
    for (const { cells } of table.rows) seen.set(one.code, (seen.get(one.code) ?? new Set()).add(cells.score))
  }
}

/** Excludes brands that an analyst's file would write as missing, since they are brands in production. */
const isKnownBrand = ({ features }: Scored) => !isAbsent(String(features.device_brand))

test('generated captures have the same scores in production and in verification with the texts of an analyst', async () => {
  const captures = [...generateCaptures({ seed: 'production', count: 60, size: 'small' })].map(
    ({ capture }) => capture,
  )
  expectVerified(await scoreInProduction(captures))
  // so that the equality is meaningful
  expect([...seen.values()].map(({ size }) => size >= 5)).toEqual([true, true, true])
})

test('arbitrary captures have the same scores too, and every category is in lower case', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryCapture, { minLength: 10, maxLength: 20, size: 'max' }),
      async (captures) => {
        const scored = await scoreInProduction(captures)
        expectVerified(scored.filter(isKnownBrand))
        for (const { features } of scored)
          for (const [name, value] of Object.entries(features))
            if (isFeatureName(name) && FEATURES[name].type === 'category')
              expect(value).toBe(String(value).trim().toLowerCase())
      },
    ),
    { numRuns: 5, endOnFailure: true },
  )
})
