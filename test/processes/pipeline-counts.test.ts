import { afterAll, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { killProcesses } from '../support/start-process.ts'
import { type House, openHouse } from '../support/test-stack.ts'

afterAll(killProcesses)

async function sumCounts({ db }: House): Promise<{ uploads: number; ready: number }> {
  const { rows } = await db.raw(
    'select coalesce(sum(uploads), 0)::int as uploads, coalesce(sum(ready), 0)::int as ready from pipeline_counts',
  )
  return rows[0]
}

test('processes that drain have counted each dataset once; one that is killed counted too few at most', {
  timeout: 90_000,
}, async () => {
  await using house = await openHouse()
  const [web, worker] = await Promise.all([house.startWeb(), house.startWorker()])
  const send = async (many: number) => {
    await Promise.all(
      Array.from({ length: many }, () => upload(web.url, house.tenant.uploaderKey, anUpload())),
    )
    await house.untilProcessed(30_000)
  }
  await send(20)
  await worker.end('SIGTERM')
  const next = await house.startWorker()
  await send(15)
  await next.end('SIGKILL')
  const last = await house.startWorker()
  await send(5)
  await Promise.all([web.end('SIGTERM'), last.end('SIGTERM')])

  const { uploads, ready } = await sumCounts(house)
  expect(uploads).toBe(40)
  expect(ready).toBeGreaterThanOrEqual(25)
  expect(ready).toBeLessThanOrEqual(40)
})
