import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { queryRows, sixDigits } from '../../db/postgres/database.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { type Answer, readByCode, upload } from '../support/client.ts'
import { recordResult } from '../support/faults/record-result.ts'
import { byLength } from '../support/faults/run-length.ts'
import { BACKENDS } from '../support/service.ts'
import { killProcesses, type StartedProcess, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

/** Short runs test the queue on Redis only: these kills concern Postgres with either queue. */
const TESTED_BACKENDS = byLength({ short: BACKENDS.slice(0, 1), long: BACKENDS })

describe.each(TESTED_BACKENDS)(
  'kills at defined points, with the queue on %s',
  { timeout: 90_000 },
  (backend) => {
    let stack: TestStack
    let web: WebProcess
    let worker: StartedProcess

    beforeAll(async () => {
      stack = await startTestStack({ backend })
      ;[web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
    }, 60_000)
    afterAll(async () => {
      await stack[Symbol.asyncDispose]()
      await killProcesses()
    })

    const send = (body: unknown) => upload(web.url, stack.tenant.uploaderKey, body)

    /** Creates an upload of a device that already has one dataset. */
    async function aSecondUpload() {
      const capture = aCapture({ device: { id: anUpload().referenceNumber } })
      expect((await send(anUpload(capture))).status).toBe(200)
      await stack.untilProcessed(15_000)
      return anUpload(capture)
    }

    /** Expects the dataset to be counted as the second of its device. */
    async function expectSecond(referenceNumber: string): Promise<void> {
      await stack.expireEnqueueTimeouts()
      await stack.untilProcessed(20_000)
      const { body } = await readByCode(
        web.url,
        stack.tenant.requesterKey,
        referenceNumber,
        '?codes=velocity',
      )
      expect(body.insights[0].value.associatedDatasetsCount).toBe('2')
    }

    const listUploadDates = async (referenceNumber: string) =>
      (
        await queryRows<{ at: string }>(
          stack.db,
          `select ${sixDigits('uploaded_at')} as at from datasets where reference_number = ?`,
          [referenceNumber],
        )
      ).map(({ at }) => at)

    /** Expects a new web process to answer the retry, with the first uploadDate if there was one. */
    async function expectRetried(body: { referenceNumber: string }, uploadDate?: string): Promise<void> {
      web = await stack.startWeb()
      for (let time = 1; time <= 2; time++) {
        const answer = await send(body)
        expect(answer.status).toBe(200)
        uploadDate ??= answer.body.uploadDate
        expect(answer.body.uploadDate).toBe(uploadDate)
      }
      await expectSecond(body.referenceNumber)
    }

    const expectDisconnected = (answer: Promise<Answer>) => expect(answer).rejects.toThrow(TypeError) // fetch reports connection errors as TypeError

    const record = (fault: string, kills = 1) =>
      recordResult({ fault: `${fault}, queue on ${backend}`, uploads: 2, kills, lost: 0 })

    test('an upload is not stored if web is killed before the commit; its retry is', async () => {
      const body = await aSecondUpload()
      stack.postgres.freeze()
      const broken = expectDisconnected(send(body))
      await delay(300) // at any stage: Postgres has received nothing
      await web.end('SIGKILL')
      await broken
      await stack.postgres.cut()
      await stack.postgres.restore()
      expect(await listUploadDates(body.referenceNumber)).toEqual([])
      await expectRetried(body)
      record('web killed before the commit')
    })

    test('an upload whose web is killed between commit and response keeps its first uploadDate when retried', async () => {
      const body = await aSecondUpload()
      stack.postgres.mute()
      const broken = expectDisconnected(send(body))
      const isStored = async () => expect(await listUploadDates(body.referenceNumber)).toHaveLength(1)
      await vi.waitFor(isStored, { timeout: 15_000, interval: 20 })
      await web.end('SIGKILL')
      await broken
      await stack.postgres.restore()
      const [uploadDate = ''] = await listUploadDates(body.referenceNumber)
      expect(await stack.countWaiting()).toBe(1) // web did not learn of the commit, so it has not enqueued
      await expectRetried(body, uploadDate)
      record('web killed between commit and answer')
    })

    test.runIf(backend === 'redis')(
      'an upload whose web is killed between commit and job is enqueued by the relay',
      async () => {
        const body = await aSecondUpload()
        stack.redis.freeze()
        const answer = await send(body)
        expect(answer.status).toBe(200)
        await web.end('SIGKILL')
        await stack.redis.cut()
        await stack.redis.restore()
        expect(await stack.countWaiting()).toBe(1)
        await expectRetried(body, answer.body.uploadDate)
        record('web killed between commit and job')
      },
    )

    test('datasets that a killed worker counted but did not commit are counted once by the next worker', async () => {
      const body = await aSecondUpload()
      const kills = byLength({ short: 2, long: 6 })
      for (let kill = 0; kill < kills; kill++) {
        await stack.db.transaction(async (trx) => {
          await queryRows(trx, 'lock table insights in share mode') // blocks the last statement of a worker's transaction
          if (kill === 0) await send(body)
          else await stack.expireEnqueueTimeouts()
          const isWaiting = async () => {
            const waiting = await queryRows(
              stack.db,
              "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            )
            expect(waiting.length).toBeGreaterThan(0)
          }
          await vi.waitFor(isWaiting, { timeout: 14_000, interval: 20 }) // the wait for the lock times out after 15 s
          await worker.end('SIGKILL')
        })
        worker = await stack.startWorker()
      }
      await expectSecond(body.referenceNumber)
      record('worker killed before its commit', kills)
    })
  },
)
