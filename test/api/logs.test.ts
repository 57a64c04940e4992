import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../db/accounts/api-keys.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { assignInfo, attemptLogin, call, readByCode, readInsight, upload } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { BACKENDS, PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'

type Line = Record<string, unknown>

describe.each(BACKENDS)('with the queue on %s', (backend) => {
  let service: Service
  let tenant: Tenant

  beforeAll(async () => {
    service = await startService({ backend, trustedProxies: ['127.0.0.1'] })
    tenant = await service.openTenant()
  })
  afterAll(() => service.stop())

  const lines = (): Line[] => service.logged.map((line) => JSON.parse(line))

  /** The lines of one request, once there are any: a line is written after the answer. */
  const linesOf = (requestId: string) =>
    eventually(() => {
      const found = lines().filter((line) => line.requestId === requestId)
      expect(found).not.toEqual([])
      return found
    })

  const id = () => crypto.randomUUID()

  test('each request is one line with its route, subscription and outcome', async () => {
    const { referenceNumber, ...body } = anUpload()
    const requests = [
      {
        call: ['POST', '/API/datasets/v1/upload', tenant.uploaderKey, { referenceNumber, ...body }],
        route: '/api/datasets/v1/upload',
        subscriptionId: tenant.subscriptionId,
        status: 200,
      },
      {
        call: ['GET', `/api/insights/v1/${referenceNumber}?codes=x`, tenant.requesterKey],
        route: '/api/insights/v1/:referenceNumber',
        subscriptionId: tenant.subscriptionId,
        status: 200,
      },
      {
        call: ['POST', '/api/datasets/v1/upload', tenant.requesterKey, {}],
        route: '/api/datasets/v1/upload',
        status: 403,
      },
      { call: ['POST', '/api/account/v1/login', undefined, {}], route: '/api/account/v1/login', status: 400 },
      { call: ['PUT', '/healthz'], route: '/healthz', status: 405 },
      { call: ['GET', '/docs'], route: '/docs', status: 200 },
      { call: ['GET', '/no/such/route'], status: 404 },
    ] as const
    for (const { call: asked, ...expected } of requests) {
      const [method, path, token, sent] = asked
      const requestId = id()
      await call(service.url, method, path, {
        headers: { 'X-Request-Id': requestId },
        ...(token !== undefined && { token }),
        ...(sent !== undefined && { body: sent }),
      })
      const [line, ...more] = await linesOf(requestId)
      expect(more).toEqual([])
      const { level, time, pid, hostname, ms, ...rest } = line ?? {}
      expect(rest).toEqual({ requestId, method, msg: 'request', ...expected })
      expect(level).toBe(30)
      expect(Number(ms)).toBeGreaterThanOrEqual(0)
      expect(Number(ms)).toBeLessThan(10_000)
    }
  })

  test('a check that finds web healthy is not logged', async () => {
    const [healthy, other] = [id(), id()]
    for (const path of ['/healthz', '/readyz'])
      await call(service.url, 'GET', path, { headers: { 'X-Request-Id': healthy } })
    await call(service.url, 'GET', '/docs', { headers: { 'X-Request-Id': other } })
    await linesOf(other)
    expect(lines().filter(({ requestId }) => requestId === healthy)).toEqual([])
  })

  test('a request that its client aborted is logged, too', async () => {
    const requestId = id()
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.write(
      `POST /api/datasets/v1/upload HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${requestId}\r\n` +
        `Authorization: Bearer ${tenant.uploaderKey}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.destroy()
    expect(await linesOf(requestId)).toMatchObject([{ route: '/api/datasets/v1/upload', aborted: true }])
  })

  test('no line has a credential, a password, data, a reference number, an e-mail, an address or a value', async () => {
    const { userEmail, uploaderKey, requesterKey } = tenant
    const { key: otherKey } = await createApiKey(service.db, {
      subscriptionId: tenant.subscriptionId,
      role: 'requester',
      label: 'label-of-a-key',
    })
    const capture = aCapture({ device: { id: 'device-to-find', brand: 'brand-to-find' } })
    const body = anUpload(capture, {
      referenceNumber: 'reference-to-find',
      realIp: '203.0.113.77',
      additionalInfo: { clientId: 'client-to-find', 'key-to-find': 'value-to-find' },
    })
    const bad = {
      ...body,
      referenceNumber: 'invalid-to-find',
      data: Buffer.from('blob-to-find').toString('base64'),
    }
    const token = (await attemptLogin(service.url, userEmail)).body.access_token
    const { refresh_token } = (await attemptLogin(service.url, userEmail)).body
    const headers = { 'X-Real-IP': '203.0.113.78' }
    const account = (path: string, sent: object) =>
      call(service.url, 'POST', `/api/account/v1/${path}`, { body: sent, headers })

    const answers = await Promise.all([
      upload(service.url, uploaderKey, body),
      upload(service.url, uploaderKey, bad),
      attemptLogin(service.url, userEmail, 'password-to-find', headers),
      attemptLogin(service.url, 'email-to-find@lender.example', PASSWORD),
      account('login', { userEmail: 'email-to-find@lender.example\0', password: 'password-to-find\0' }),
      account('refresh', { refresh_token }),
      account('logout', { refresh_token: 'token-to-find' }),
      upload(service.url, `${uploaderKey}x`, body),
      upload(service.url, 'ink_token-to-find', body),
      call(service.url, 'GET', '/reference-to-find?access_token=token-to-find'),
      call(service.url, 'POST', '/api/datasets/v1/upload', {
        token: uploaderKey,
        body: '{"data": "data-to-find',
      }),
    ])
    answers.push(
      await readInsight(service.url, token, 'reference-to-find'),
      await readInsight(service.url, token, 'invalid-to-find'),
      await readByCode(service.url, otherKey, 'reference-to-find', '?codes=code-to-find'),
      await upload(service.url, uploaderKey, { ...body, data: bad.data }),
      await assignInfo(service.url, uploaderKey, {
        referenceNumber: 'reference-to-find',
        additionalInfo: { clientId: 'other-to-find' },
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual([
      ...[200, 200, 401, 401, 400, 200, 204, 401, 401, 404, 400],
      ...[200, 422, 200, 409, 409],
    ])
    for (const answer of answers) await linesOf(answer.headers.get('x-request-id') ?? '')

    const log = service.logged.join('')
    for (const secret of [
      'to-find',
      'label-of-a-key',
      uploaderKey,
      requesterKey,
      otherKey,
      token,
      token.split('.')[2],
      refresh_token,
      PASSWORD,
      userEmail,
      '203.0.113.7',
      String(body.data).slice(0, 40),
      bad.data,
      Buffer.from('blob-to-find').toString('hex'),
      'H4sI',
    ])
      expect(log, secret).not.toContain(secret)
    expect(lines().filter(({ level }) => Number(level) > 30)).toEqual([])
  })
})
