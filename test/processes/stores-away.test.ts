import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { anUpload } from '../support/captures.ts'
import { type Answer, readByCode, upload } from '../support/client.ts'
import { expectNotReady, untilReady } from '../support/faults/readiness.ts'
import { BACKENDS } from '../support/service.ts'
import { killProcesses, startProcess, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

/** Uploads datasets one after another; each response must arrive within `withinMs`. */
async function uploadSome(
  web: WebProcess,
  { tenant }: TestStack,
  { count = 20, withinMs = 1_000 } = {},
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now()
    answers.push(await upload(web.url, tenant.uploaderKey, anUpload()))
    expect(performance.now() - startedAt).toBeLessThan(withinMs)
  }
  return answers
}

const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))]

describe.concurrent.each(BACKENDS)(
  'with Postgres unavailable and the queue on %s',
  { timeout: 60_000 },
  (backend) => {
    test('uploads and reads quickly return 503, and succeed once Postgres is back', async () => {
      await using stack = await startTestStack({ backend })
      const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
      const body = anUpload()
      await upload(web.url, stack.tenant.uploaderKey, body)
      await stack.untilProcessed(5_000)

      await stack.postgres.cut()
      const rejected = await uploadSome(web, stack, { count: 10, withinMs: 3_000 })
      rejected.push(await readByCode(web.url, stack.tenant.requesterKey, body.referenceNumber))
      for (const answer of rejected) {
        expect(answer).toMatchObject({ status: 503, body: { title: 'unavailable' } })
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      await expectNotReady(web, ...(backend === 'postgres' ? ['postgres', 'queue'] : ['postgres']))
      await delay(2_000)

      await stack.postgres.restore()
      await untilReady(web, 5_000)
      expect(statusesOf(await uploadSome(web, stack))).toEqual([200])
      expect((await readByCode(web.url, stack.tenant.requesterKey, body.referenceNumber)).status).toBe(200)
      await stack.expireEnqueueTimeouts()
      await stack.untilProcessed(15_000)
    })
  },
)

describe.concurrent('with Postgres unavailable at startup', { timeout: 60_000 }, () => {
  test('web exits with a one-sentence error if TOKEN_SIGNING_KEYS is not set', async () => {
    await using stack = await startTestStack()
    await stack.postgres.cut()
    const web = startProcess('web', { ...stack.env, TOKEN_SIGNING_KEYS: '' })
    expect(await web.ended).toMatchObject({ code: 1 })
    expect(web.logged().at(-1)).toMatchObject({
      level: 60,
      msg: 'The signing keys are in the database, which is unavailable: set TOKEN_SIGNING_KEYS',
    })
  })

  test.each(BACKENDS)(
    'web and worker start with the queue on %s, and work once Postgres is available',
    async (backend) => {
      await using stack = await startTestStack({ backend })
      await stack.postgres.cut()
      const TOKEN_SIGNING_KEYS = JSON.stringify({ keys: [await makeSigningKey()] })
      const [web] = await Promise.all([stack.startWeb({ TOKEN_SIGNING_KEYS }), stack.startWorker()])
      expect(statusesOf(await uploadSome(web, stack, { withinMs: 3_000 }))).toEqual([503])
      await stack.postgres.restore()
      await untilReady(web, 5_000)
      expect(statusesOf(await uploadSome(web, stack))).toEqual([200])
      await stack.untilProcessed(10_000)
    },
  )
})
