import { afterAll, beforeAll, expect, test } from 'vitest'
import { addScoreCounts } from '../../db/monitoring/score-counts.ts'
import { promoteScorecard } from '../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { call, logIn } from '../support/client.ts'
import { aScorecard } from '../support/scorecards.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string
const versions: string[] = []

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

beforeAll(async () => {
  service = await startService({ worker: false })
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
  for (const name of ['first', 'second']) {
    const version = await saveDefinition(service.db, tenant.subscriptionId, aScorecard({ name }))
    const { subscriptionId } = tenant
    await service.db.transaction((trx) => promoteScorecard(trx, { subscriptionId, code: 'card', version }))
    versions.push(version)
  }
})
afterAll(() => service.stop())

const show = (query: string, credential = token) =>
  call(service.url, 'GET', `/api/scores/v1/distribution?${query}`, { token: credential })

const count = (version: string, day: string, bin: string, datasets: number, characteristic = '') => ({
  ...{ subscriptionId: tenant.subscriptionId, code: 'card', version, day, characteristic, bin, datasets },
})

test('scores of the requested days are counted by value, by default of the current champion', async () => {
  const [before = '', now = ''] = versions
  await addScoreCounts(service.db, [
    count(now, daysAgo(0), '612', 3),
    count(now, daysAgo(0), '98', 1),
    count(now, daysAgo(29), '612', 4),
    count(now, daysAgo(29), '', 5),
    count(now, daysAgo(30), '612', 100),
    count(now, daysAgo(0), '-20', 2),
    count(now, daysAgo(0), '[0, 1)', 9, 'contacts'),
    count(before, daysAgo(3), '500', 7),
  ])
  const { body } = await show('code=card')
  expect(body).toEqual({
    ...{ code: 'card', version: now, since: daysAgo(29), days: 30, scored: 10, unscored: 5 },
    values: [
      { value: -20, datasets: 2 },
      { value: 98, datasets: 1 },
      { value: 612, datasets: 7 },
    ],
  })
  expect((await show('code=card&days=1')).body).toMatchObject({ scored: 6, unscored: 0, since: daysAgo(0) })
  expect((await show('code=card&days=31')).body).toMatchObject({ scored: 110 })
})

test('an earlier version can be requested, to compare an older score with others of its version', async () => {
  const { body } = await show(`code=card&version=${versions[0]}`)
  expect(body).toMatchObject({ version: versions[0], values: [{ value: 500, datasets: 7 }] })
})

test('an unknown code is not found, and an invalid query is rejected with its errors', async () => {
  const unknown = `version=${'0'.repeat(64)}`
  for (const query of ['code=none', `code=card&${unknown}`]) {
    const { status, body } = await show(query)
    expect([status, body.title]).toEqual([404, 'not_found'])
  }
  const { status, body } = await show('days=401&version=latest')
  expect([status, Object.keys(body.errors)]).toEqual([400, ['code', 'version', 'days']])
})
