import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { WebhookError } from '../../../api/client/src/errors.ts'
import { verifyWebhook } from '../../../api/client/src/verify-webhook.ts'

/** The example of the libraries of Standard Webhooks. */
const EXAMPLE = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  body: '{"test": 2432232314}',
  now: 1_614_265_330_000,
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
}

const NOW = Date.UTC(2026, 10, 23)
const EVENT = {
  type: 'dataset.ready',
  timestamp: '2026-11-23T00:00:00.000Z',
  data: { referenceNumber: 'Ü-1' },
}
const BODY = JSON.stringify(EVENT)

const aSecret = () => `whsec_${randomBytes(32).toString('base64')}`

function sign(
  secret: string,
  { id = 'evt_1', seconds = NOW / 1_000, body = BODY } = {},
): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` }
}

const codeOf = (act: () => unknown): string => {
  try {
    act()
    return 'accepted'
  } catch (error) {
    return error instanceof WebhookError ? error.code : String(error)
  }
}

test('the example of Standard Webhooks is accepted', () => {
  const { headers, body, secret, now } = EXAMPLE
  expect(verifyWebhook(headers, body, secret, { now })).toEqual({
    test: 2432232314,
    id: headers['webhook-id'],
  })
})

describe('a webhook', () => {
  const secret = aSecret()

  test('is accepted with the headers of Node.js and of Fetch, as text and as bytes', () => {
    const event = { ...EVENT, id: 'evt_1' }
    const headers = sign(secret)
    expect(verifyWebhook(headers, BODY, secret, { now: NOW })).toEqual(event)
    expect(verifyWebhook(new Headers(headers), Buffer.from(BODY), [secret], { now: NOW })).toEqual(event)
  })

  test('is accepted while its secret is rotated, by either secret', () => {
    const next = aSecret()
    const both = `${sign(next)['webhook-signature']} v2,x ${sign(secret)['webhook-signature']}`
    for (const known of [secret, next])
      expect(
        codeOf(() =>
          verifyWebhook({ ...sign(secret), 'webhook-signature': both }, BODY, known, { now: NOW }),
        ),
      ).toBe('accepted')
    expect(codeOf(() => verifyWebhook(sign(secret), BODY, [next, secret], { now: NOW }))).toBe('accepted')
  })

  test.each<[code: string, headers: Record<string, string>, body?: string]>([
    ['invalid_signature', sign(aSecret())],
    ['invalid_signature', sign(secret), BODY.replace('Ü-1', 'Ü-2')],
    ['invalid_signature', { ...sign(secret), 'webhook-id': 'evt_2' }],
    ['invalid_signature', { ...sign(secret), 'webhook-timestamp': String(NOW / 1_000 + 1) }],
    ['invalid_signature', { ...sign(secret), 'webhook-signature': 'v1,' }],
    [
      'invalid_signature',
      { ...sign(secret), 'webhook-signature': `${'v1,x '.repeat(16)}${sign(secret)['webhook-signature']}` },
    ],
    ['missing_header', { ...sign(secret), 'webhook-signature': '' }],
    ['missing_header', { 'webhook-id': 'evt_1' }],
    ['invalid_timestamp', { ...sign(secret), 'webhook-timestamp': '1e9' }],
    ['timestamp_out_of_tolerance', sign(secret, { seconds: NOW / 1_000 - 301 })],
    ['timestamp_out_of_tolerance', sign(secret, { seconds: NOW / 1_000 + 301 })],
    ['invalid_body', sign(secret, { body: 'not JSON' }), 'not JSON'],
  ])('is rejected as %s: %o', (code, headers, body = BODY) => {
    expect(codeOf(() => verifyWebhook(headers, body, secret, { now: NOW }))).toBe(code)
  })

  test('is accepted at the limits of the tolerance, which can be changed', () => {
    const late = sign(secret, { seconds: NOW / 1_000 - 300 })
    expect(codeOf(() => verifyWebhook(late, BODY, secret, { now: NOW }))).toBe('accepted')
    const options = { now: NOW, toleranceSeconds: 60 }
    expect(codeOf(() => verifyWebhook(late, BODY, secret, options))).toBe('timestamp_out_of_tolerance')
  })

  test.each(['', 'whsec_', 'whsec_ä', 'a secret'])('a secret %o is a mistake of the program', (wrong) => {
    expect(() => verifyWebhook(sign(secret), BODY, wrong, { now: NOW })).toThrow(TypeError)
  })
})
