import { afterAll, expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { createTrial, findTrial } from '../../db/scorecards/scorecard-trials.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { aScorecard } from '../support/scorecards.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const CAPTURES = 12_000

test('another worker takes over the trial of a killed worker', {
  timeout: 120_000,
}, async () => {
  await using stack = await startTestStack()
  const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
  const { subscriptionId, uploaderKey } = stack.tenant
  expect((await upload(web.url, uploaderKey, anUpload())).status).toBe(200)
  await stack.untilProcessed(20_000)
  await queryRows(
    stack.db,
    `with copies as (
       insert into datasets (subscription_id, reference_number, data_hash, real_ip, status, platform)
       select subscription_id, 'copy-' || n, data_hash, real_ip, status, platform
       from datasets, generate_series(1, ?::integer) n returning subscription_id, id
     )
     insert into insights select (jsonb_populate_record(i, jsonb_build_object('dataset_id', c.id))).*
     from copies c join insights i on i.subscription_id = c.subscription_id`,
    [CAPTURES],
  )
  const version = await saveDefinition(stack.db, subscriptionId, aScorecard())
  const place = { subscriptionId, code: 'card', version }
  const { id } = (await createTrial(stack.db, { ...place, askedBy: 'ann', captures: CAPTURES })) ?? {}
  const find = () => findTrial(stack.db, subscriptionId, 'card', id ?? 0)

  await expect
    .poll(async () => (await find())?.progress, { interval: 20, timeout: 20_000 })
    .toBeGreaterThan(0)
  await worker.end('SIGKILL')
  const abandoned = await find()
  expect(abandoned).toMatchObject({ state: 'running', result: null })
  expect(abandoned?.progress).toBeLessThan(CAPTURES)

  await stack.startWorker()
  // expires the claim without waiting for half a minute
  await stack
    .db('scorecard_trials')
    .where({ id })
    .update({ claimed_at: new Date(Date.now() - 60_000) })
  await expect.poll(async () => (await find())?.state, { timeout: 60_000 }).toBe('done')
  expect(await find()).toMatchObject({ progress: CAPTURES, error: null })
})
