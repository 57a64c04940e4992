import { afterAll, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

async function sumCounts({ db }: TestStack): Promise<{ uploads: number; ready: number }> {
  const { rows } = await db.raw(
    'select coalesce(sum(uploads), 0)::int as uploads, coalesce(sum(ready), 0)::int as ready from pipeline_counts',
  )
  return rows[0]
}

test('drained processes count each dataset once; a killed process never counts too many', {
  timeout: 90_000,
}, async () => {
  await using stack = await startTestStack()
  const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
  const send = async (many: number) => {
    await Promise.all(
      Array.from({ length: many }, () => upload(web.url, stack.tenant.uploaderKey, anUpload())),
    )
    await stack.untilProcessed(30_000)
  }
  await send(20)
  await worker.end('SIGTERM')
  const next = await stack.startWorker()
  await send(15)
  await next.end('SIGKILL')
  const last = await stack.startWorker()
  await send(5)
  await Promise.all([web.end('SIGTERM'), last.end('SIGTERM')])

  const { uploads, ready } = await sumCounts(stack)
  expect(uploads).toBe(40)
  expect(ready).toBeGreaterThanOrEqual(25)
  expect(ready).toBeLessThanOrEqual(40)
})
