import { expect, test } from 'vitest'
import { sendJson, servePages } from '../../../db/runtime/serve-pages.ts'

test('a page that fails is answered 500 and reported; others are served, and nothing else', async () => {
  const errors: unknown[] = []
  const server = await servePages(
    0,
    {
      '/works': (response) => sendJson(response, 200, { status: 'ok' }),
      '/fails': async () => {
        throw new Error('a fault')
      },
    },
    (error) => errors.push(error),
  )
  const statusOf = async (path: string, method = 'GET') =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`, { method })).status
  expect(await statusOf('/works?a=b')).toBe(200)
  expect(await statusOf('/fails')).toBe(500)
  expect(await statusOf('/other')).toBe(404)
  expect(await statusOf('/works', 'POST')).toBe(405)
  expect(errors).toEqual([new Error('a fault')])
  server.close()
})
