import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { aCapture, anUpload } from '../captures.ts'
import { readByCode, upload } from '../client.ts'
import { type House, openHouse } from '../open-house.ts'
import { BACKENDS } from '../service.ts'
import { killProcesses } from '../start-process.ts'

const UPLOADS = 150
const CLIENTS = 6

afterAll(killProcesses)

/** A burst of which every third upload is of one device. */
const aBurst = () =>
  Array.from({ length: UPLOADS }, (_, n) => ({
    hot: n % 3 === 0,
    body: anUpload(aCapture({ device: { id: n % 3 === 0 ? 'hot' : `cold-${n}` } })),
  }))

type Burst = ReturnType<typeof aBurst>

/** Uploads a burst over a few seconds; a call that breaks off is made again, as a client would. */
async function uploadBurst(
  burst: Burst,
  { tenant }: House,
  url: () => string,
): Promise<{ statuses: number[]; brokenOff: number }> {
  const statuses: number[] = []
  let brokenOff = 0
  const waiting = burst.values()
  const uploadNext = async () => {
    for (const { body } of waiting) {
      for (let answered = false; !answered; await delay(100))
        try {
          statuses.push((await upload(url(), tenant.uploaderKey, body)).status)
          answered = true
        } catch (error) {
          if (!(error instanceof TypeError)) throw error
          brokenOff++
        }
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, uploadNext))
  return { statuses, brokenOff }
}

/** Each upload has exactly one insight, and those of the hot device have exactly the places 1, 2, 3, … */
async function expectCountedOnce(burst: Burst, { db, tenant }: House, url: string): Promise<void> {
  const { rows } = await db.raw(
    `select count(*)::int as datasets, count(i.dataset_id)::int as insights,
            count(*) filter (where d.status = 'ready')::int as ready
     from datasets d left join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id`,
  )
  expect(rows).toEqual([{ datasets: UPLOADS, insights: UPLOADS, ready: UPLOADS }])
  const places: number[] = []
  for (const { hot, body } of burst) {
    const answer = await readByCode(url, tenant.requesterKey, body.referenceNumber, '?codes=velocity')
    expect(answer.status).toBe(200)
    const place = Number(answer.body.insights[0].value.associatedDatasetsCount)
    if (hot) places.push(place)
    else expect(place).toBe(1)
  }
  const inOrder = places.toSorted((a, b) => a - b)
  expect(inOrder).toEqual(places.map((_, n) => n + 1))
}

describe.concurrent.each(BACKENDS)('with the queue on %s', { timeout: 60_000 }, (backend) => {
  test('a worker that is killed again and again counts each dataset once and leaves none out', async () => {
    await using house = await openHouse({ backend })
    const web = await house.startWeb()
    const burst = aBurst()
    const uploading = uploadBurst(burst, house, () => web.url)
    for (const lifeMs of [400, 60, 10]) {
      const worker = await house.startWorker({ WORKER_CONCURRENCY: '2' })
      await delay(lifeMs)
      expect(await worker.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
    }
    await house.startWorker()
    const { statuses } = await uploading
    expect(statuses).toEqual(Array(UPLOADS).fill(200))
    await house.endPatience() // what a killed worker was at comes again after 30 s, or when the relay rings
    await house.untilProcessed(15_000)
    await expectCountedOnce(burst, house, web.url)
  })

  test('a web that is killed loses nothing that it answered, and a client may repeat what broke off', async () => {
    await using house = await openHouse({ backend })
    let web = await house.startWeb()
    await house.startWorker()
    const burst = aBurst()
    const uploading = uploadBurst(burst, house, () => web.url)
    for (const lifeMs of [900, 400]) {
      await delay(lifeMs)
      await web.end('SIGKILL')
      web = await house.startWeb()
    }
    const { statuses, brokenOff } = await uploading
    expect(brokenOff).toBeGreaterThan(0)
    expect(statuses).toEqual(Array(UPLOADS).fill(200))
    await house.endPatience() // for what was committed but not rung for
    await house.untilProcessed(15_000)
    await expectCountedOnce(burst, house, web.url)
  })
})
