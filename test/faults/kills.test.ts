import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { queryRows } from '../../db/database.ts'
import { aCapture, anUpload } from '../captures.ts'
import { readByCode, upload } from '../client.ts'
import { type House, openHouse } from '../open-house.ts'
import { BACKENDS } from '../service.ts'
import { killProcesses } from '../start-process.ts'
import { recordFigure } from './figures.ts'
import { inForm, isLong } from './form.ts'
import { startStorm } from './storm.ts'

afterAll(killProcesses)

/** What a worker was at when it was killed is rung for by the relay, 15 s after it came. */
const RELAYED_MS = 30_000

/** A client's upload that breaks off. */
const uploadIntoKill = (url: string, house: House, body: unknown) =>
  upload(url, house.tenant.uploaderKey, body).then(
    ({ status }) => status,
    (error) => {
      if (!(error instanceof TypeError)) throw error
      return 'broken off'
    },
  )

/** When the datasets of the house's tenant were uploaded, by reference number. */
async function listUploadDates({ db, tenant }: House): Promise<Record<string, string>> {
  const rows = await queryRows<{ name: string; at: string }>(
    db,
    `select reference_number as name, to_char(uploaded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at
     from datasets where subscription_id = ?`,
    [tenant.subscriptionId],
  )
  return Object.fromEntries(rows.map(({ name, at }) => [name, at]))
}

/** The client sends it again; it is counted once, as the device's second after the one that warmed up. */
async function expectRetried(house: House, body: ReturnType<typeof anUpload>, uploadDate?: string) {
  const web = await house.startWeb()
  for (let time = 1; time <= 2; time++) {
    const answer = await upload(web.url, house.tenant.uploaderKey, body)
    expect(answer.status).toBe(200)
    uploadDate ??= answer.body.uploadDate
    expect(answer.body.uploadDate).toBe(uploadDate)
  }
  await house.endPatience()
  await house.untilProcessed(15_000)
  const insight = await readByCode(
    web.url,
    house.tenant.requesterKey,
    body.referenceNumber,
    '?codes=velocity',
  )
  expect(insight.body.insights[0].value.associatedDatasetsCount).toBe('2')
}

const aCommonUpload = () => anUpload(aCapture({ device: { id: 'common' } }))

describe.concurrent.each(BACKENDS)('with the queue on %s', { timeout: 120_000 }, (backend) => {
  test('a worker that is killed again and again counts each dataset once and leaves none out', async () => {
    await using house = await openHouse({ backend })
    await house.startWeb()
    const storm = await startStorm(house, { clients: 4, pauseMs: 40 })
    const lives = inForm({ short: [400, 60, 10], long: [400, 60, 10, 200, 5, 900, 30, 120, 15, 80] })
    for (const lifeMs of lives) {
      const worker = await house.startWorker({ WORKER_CONCURRENCY: '2' })
      await delay(lifeMs)
      expect(await worker.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    }
    await house.startWorker()
    await storm.end()
    if (!isLong) await house.endPatience()
    await storm.expectHeld({
      fault: `worker killed again and again, queue on ${backend}`,
      kills: lives.length,
      withinMs: RELAYED_MS,
    })
  })

  test('a web that is killed loses nothing that it answered, and a client may repeat what broke off', async () => {
    await using house = await openHouse({ backend })
    let web = await house.startWeb()
    await house.startWorker()
    const storm = await startStorm(house, { clients: 4, pauseMs: 40 })
    const lives = inForm({ short: [900, 400], long: [900, 400, 50, 1_300, 10, 700, 250, 30] })
    for (const lifeMs of lives) {
      await delay(lifeMs)
      await web.end('SIGKILL')
      web = await house.startWeb()
    }
    await storm.untilHeld(20)
    await storm.end()
    expect(storm.broken).toBeGreaterThan(0)
    if (!isLong) await house.endPatience()
    await storm.expectHeld({
      fault: `web killed at random moments, queue on ${backend}`,
      kills: lives.length,
      withinMs: RELAYED_MS,
    })
  })
})

/** In the short form these are tried with the queue on Redis only: what they are about is Postgres in both. */
const TRIED = inForm({ short: BACKENDS.slice(0, 1), long: BACKENDS })

describe.concurrent.each(TRIED)(
  'at a certain moment, with the queue on %s',
  { timeout: 120_000 },
  (backend) => {
    test('an upload whose web is killed before the commit was not taken in, and is by its retry', async () => {
      await using house = await openHouse({ backend })
      const web = await house.startWeb()
      await house.startWorker()
      await upload(web.url, house.tenant.uploaderKey, aCommonUpload())
      await house.untilProcessed(15_000)

      const body = aCommonUpload()
      house.postgres.freeze()
      const answered = uploadIntoKill(web.url, house, body)
      await delay(300) // however far it came: Postgres has heard nothing
      await web.end('SIGKILL')
      expect(await answered).toBe('broken off')
      await house.postgres.cut()
      await house.postgres.restore()
      expect(await listUploadDates(house)).not.toHaveProperty([body.referenceNumber])
      await expectRetried(house, body)
      recordFigure({
        fault: `web killed before the commit, queue on ${backend}`,
        uploads: 2,
        kills: 1,
        lost: 0,
      })
    })

    test('an upload whose web is killed between commit and answer has its first uploadDate when it is retried', async () => {
      await using house = await openHouse({ backend })
      const web = await house.startWeb()
      await house.startWorker()
      await upload(web.url, house.tenant.uploaderKey, aCommonUpload())
      await house.untilProcessed(15_000)

      const body = aCommonUpload()
      house.postgres.mute()
      const answered = uploadIntoKill(web.url, house, body)
      const isStored = async () => expect(await listUploadDates(house)).toHaveProperty([body.referenceNumber])
      await vi.waitFor(isStored, { timeout: 15_000, interval: 20 })
      await web.end('SIGKILL')
      expect(await answered).toBe('broken off')
      await house.postgres.restore()
      expect(await house.countWaiting()).toBe(1) // web has heard of no commit, so it has not rung
      await expectRetried(house, body, (await listUploadDates(house))[body.referenceNumber])
      recordFigure({
        fault: `web killed between commit and answer, queue on ${backend}`,
        uploads: 2,
        kills: 1,
        lost: 0,
      })
    })

    test.runIf(backend === 'redis')(
      'an upload whose web is killed between commit and job is rung for by the relay',
      async () => {
        await using house = await openHouse({ backend })
        const web = await house.startWeb()
        await house.startWorker()
        await upload(web.url, house.tenant.uploaderKey, aCommonUpload())
        await house.untilProcessed(15_000)

        const body = aCommonUpload()
        house.redis.freeze()
        const { status, body: receipt } = await upload(web.url, house.tenant.uploaderKey, body)
        expect(status).toBe(200)
        await web.end('SIGKILL')
        await house.redis.cut()
        await house.redis.restore()
        await delay(1_000)
        expect(await house.countWaiting()).toBe(1)
        await expectRetried(house, body, receipt.uploadDate)
        recordFigure({ fault: 'web killed between commit and job', uploads: 2, kills: 1, lost: 0 })
      },
    )

    test('what a worker had counted but not committed when it was killed is counted once by the next', async () => {
      await using house = await openHouse({ backend })
      const web = await house.startWeb()
      const { db, tenant } = house
      let worker = await house.startWorker()
      await upload(web.url, tenant.uploaderKey, aCommonUpload())
      await house.untilProcessed(15_000)

      const body = aCommonUpload()
      const kills = inForm({ short: 2, long: 6 })
      for (let kill = 0; kill < kills; kill++) {
        await db.transaction(async (trx) => {
          await queryRows(trx, 'lock table insights in share mode') // for which a worker waits with all but its last statement
          if (kill === 0) await upload(web.url, tenant.uploaderKey, body)
          else await house.endPatience()
          const isWaiting = async () => {
            const waiting = await queryRows(
              db,
              `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
            expect(waiting.length).toBeGreaterThan(0)
          }
          await vi.waitFor(isWaiting, { timeout: 15_000, interval: 20 })
          await worker.end('SIGKILL')
        })
        if (kill + 1 < kills) worker = await house.startWorker()
      }
      await house.startWorker()
      await house.endPatience()
      await house.untilProcessed(20_000)
      const insight = await readByCode(web.url, tenant.requesterKey, body.referenceNumber, '?codes=velocity')
      expect(insight.body.insights[0].value.associatedDatasetsCount).toBe('2')
      recordFigure({
        fault: `worker killed before its commit, queue on ${backend}`,
        uploads: 2,
        kills,
        lost: 0,
      })
    })
  },
)
