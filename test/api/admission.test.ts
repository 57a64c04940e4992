import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAdmission } from '../../api/http/admission.ts'
import { Problem } from '../../api/http/problem.ts'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

describe('admission control', () => {
  const admitted = (
    admission: ReturnType<typeof openAdmission>,
    subscriptionId: number,
    attempts: number,
    bytes = 0,
  ) => {
    const leave: (() => void)[] = []
    for (let n = 0; n < attempts; n++) {
      try {
        leave.push(admission.enter(subscriptionId, bytes))
      } catch (error) {
        expect(error).toBeInstanceOf(Problem)
      }
    }
    return leave
  }

  test('lets one subscription hold two thirds of all requests', () => {
    const admission = openAdmission({ requests: 90, bytes: 1_000 })
    expect(admitted(admission, 1, 200).length).toBe(60)
  })

  test('lets one subscription hold two thirds of all bytes', () => {
    const admission = openAdmission({ requests: 90, bytes: 900 })
    expect(admitted(admission, 1, 80, 100).length).toBe(6)
  })

  test('keeps capacity for a late subscription, however many others send bursts', () => {
    const admission = openAdmission({ requests: 900, bytes: 1_000 })
    for (let subscriptionId = 1; subscriptionId <= 5; subscriptionId++)
      expect(admitted(admission, subscriptionId, 1_000).length).toBeGreaterThan(0)
    expect(admitted(admission, 99, 1).length).toBe(1)
  })

  test('admits as many requests as complete', () => {
    const admission = openAdmission({ requests: 90, bytes: 1_000 })
    const [first, second] = admitted(admission, 1, 200)
    first?.()
    second?.()
    expect(admitted(admission, 1, 200).length).toBe(2)
  })

  test('admits the largest body when it is alone', () => {
    const admission = openAdmission({ requests: 90, bytes: 1_000 })
    const [leave] = admitted(admission, 1, 1, 1_000_000)
    expect(leave).toBeDefined()
    expect(admitted(admission, 1, 1, 1)).toEqual([])
    leave?.()
    expect(admitted(admission, 1, 1, 1).length).toBe(1)
  })
})

describe('while one subscription sends more than the capacity of a process', () => {
  const HELD = 704 // two thirds of all, and some
  let service: Service
  const sockets: Socket[] = []

  beforeAll(async () => {
    service = await startService({ worker: false })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await service.stop()
  })

  /** Announces an upload and sends nothing of it. */
  async function announce(uploaderKey: string): Promise<Socket> {
    const { port, hostname } = new URL(service.url)
    const socket = connect(Number(port), hostname).setEncoding('utf8')
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write(
      'POST /api/datasets/v1/upload HTTP/1.1\r\nHost: inkling\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${uploaderKey}\r\nContent-Length: 1000\r\n\r\n`,
    )
    return socket
  }

  test('its next upload is rejected before its body is read, another subscription’s is accepted', async () => {
    const flooding = await service.openTenant()
    const other = await service.openTenant()
    await upload(service.url, flooding.uploaderKey, anUpload()) // its key is known from here on
    for (let n = 0; n < HELD; n += 64)
      await Promise.all(Array.from({ length: 64 }, () => announce(flooding.uploaderKey)))
    await expect
      .poll(async () => (await upload(service.url, flooding.uploaderKey, anUpload())).status, {
        timeout: 5_000,
      })
      .toBe(503)

    const refused = await announce(flooding.uploaderKey)
    const [answer] = await once(refused, 'data')
    expect(answer).toMatch(/^HTTP\/1.1 503 /)
    expect(answer).toMatch(/\r\nRetry-After: [1-9]/i)
    expect(answer).toContain('"title":"overloaded"')
    expect((await upload(service.url, other.uploaderKey, anUpload())).status).toBe(200)

    for (const socket of sockets) socket.destroy()
    await expect
      .poll(async () => (await upload(service.url, flooding.uploaderKey, anUpload())).status, {
        timeout: 5_000,
      })
      .toBe(200)
  })
})
