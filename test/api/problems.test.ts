import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeEndpoints } from '../../api/docs/openapi.ts'
import { serveProblems } from '../../api/docs/serve-problems.ts'
import { handleErrors } from '../../api/http/error-handler.ts'
import { PROBLEM_CODES, PROBLEMS, Problem, type ProblemCode } from '../../api/http/problem.ts'
import { PROBLEM_HELP } from '../../api/http/problem-help.ts'
import { identifyRequests } from '../../api/http/request-id.ts'
import type { RequestState } from '../../api/http/request-state.ts'
import { setSecurityHeaders } from '../../api/http/security-headers.ts'
import { listProblems, PROBLEM_MARKS } from '../../scripts/reports/list-problems.ts'
import { declared } from '../support/client.ts'
import { PROJECT } from '../support/start-process.ts'

let url: string
const server = createServer()

/** Serves the pages, and at `/throw/<code>` each problem. */
beforeAll(async () => {
  const app = new Koa<RequestState>()
  app.use(identifyRequests).use(setSecurityHeaders).use(handleErrors('https://inkling.example'))
  app.use(serveProblems())
  app.use(({ path }) => {
    throw new Problem(path.slice('/throw/'.length) as ProblemCode)
  })
  server.on('request', app.callback()).listen(0)
  await once(server, 'listening')
  url = `http://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

test('each problem leads to its page by type and Link, and says when to retry', async () => {
  for (const code of PROBLEM_CODES) {
    const problem = await fetch(`${url}/throw/${code}`)
    expect(problem.status).toBe(PROBLEMS[code][0])
    const { type } = (await problem.json()) as { type: string }
    expect(type).toBe(`https://inkling.example/problems/${code}`)
    expect(problem.headers.get('link')).toBe(`</problems/${code}>; rel="help"`)
    const waitingHelps = PROBLEM_HELP[code].retry === 'after_delay'
    expect(problem.headers.has('retry-after'), `Retry-After of ${code}`).toBe(waitingHelps)

    const page = await fetch(url + new URL(type).pathname, { headers: { accept: 'text/html,*/*' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain(`<h1>${code}</h1>`)
  }
})

describe('pages of problems', () => {
  const read = (path: string, accept: string, method = 'GET') =>
    fetch(url + path, { method, headers: { accept } })

  test('have no script, and a policy that allows only their style', async () => {
    for (const path of ['/problems', '/problems/rate_limited']) {
      const page = await read(path, 'text/html')
      const html = await page.text()
      expect(html).not.toMatch(/<script|\sstyle=|\son\w+=/)
      const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? ''
      const hash = createHash('sha256').update(style).digest('base64')
      expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}';`)
      expect(page.headers.get('cache-control')).toBe('public, max-age=3600')
      expect(page.headers.get('vary')).toBe('Accept')
      expect(html.length).toBeLessThan(10_000)
    }
    const list = await (await read('/problems', 'text/html')).text()
    for (const code of PROBLEM_CODES) expect(list).toContain(`<a href="/problems/${code}">`)
  })

  test('are JSON for programs', async () => {
    const one = await read('/Problems/insight_not_ready', 'application/json')
    expect(await one.json()).toEqual({
      code: 'insight_not_ready',
      status: 503,
      detail: PROBLEMS.insight_not_ready[1],
      ...PROBLEM_HELP.insight_not_ready,
      example: expect.objectContaining({ title: 'insight_not_ready', status: 503 }),
    })
    const all = (await (await read('/problems', 'application/json')).json()) as { code: string }[]
    expect(all.map(({ code }) => code)).toEqual(PROBLEM_CODES)
  })

  test.each([
    ['/problems/none', 'GET', 404, 'route_not_found'],
    ['/problems/__proto__', 'GET', 404, 'route_not_found'],
    ['/problems/conflict', 'POST', 405, 'method_not_allowed'],
  ])('%s with %s is %i', async (path, method, status, title) => {
    const answer = await read(path, '*/*', method)
    expect([answer.status, ((await answer.json()) as { title: string }).title]).toEqual([status, title])
  })
})

test('each problem can occur: its code is in the sources besides declarations of endpoints', () => {
  const sources = globSync('api/**/*.ts', {
    cwd: PROJECT,
    exclude: ['api/portal/**', 'api/sdk/**', 'api/docs/**'],
  })
    .filter((path) => !/^api\/http\/problem(-help)?\.ts$/.test(path))
    .map((path) => readFileSync(join(PROJECT, path), 'utf8').replace(/\bproblems: \[[^\]]*\]/g, ''))
    .join('\n')
  expect(PROBLEM_CODES.filter((code) => !sources.includes(`'${code}'`))).toEqual([])
})

test('the OpenAPI document links each problem to its page, and declares Retry-After where waiting helps', () => {
  const text = JSON.stringify(describeEndpoints(declared))
  for (const code of PROBLEM_CODES.filter((code) => code !== 'route_not_found'))
    expect(text).toContain(`([help](/problems/${code}))`)
  const statuses = PROBLEM_CODES.filter((code) => PROBLEM_HELP[code].retry === 'after_delay').map(
    (code) => PROBLEMS[code][0],
  )
  // api/docs/headers.ts declares it for these
  expect([...new Set(statuses)].toSorted()).toEqual([429, 503])
})

describe('docs/errors.md', () => {
  const document = readFileSync(join(PROJECT, 'docs/errors.md'), 'utf8')

  test('lists all problems; after a change, run npm run docs:errors', () => {
    const [, listed = ''] = document.split(PROBLEM_MARKS.start)
    expect(listed.split(PROBLEM_MARKS.end)[0]?.trim()).toBe(listProblems())
  })

  test('has a recipe that retries what can be retried', async () => {
    const statuses = [500, 200, 400]
    let requests = 0
    const flaky = createServer((_request, response) => {
      response.writeHead(statuses[requests++] ?? 503).end()
    }).listen(0)
    await once(flaky, 'listening')
    const [, code] = /```js\n(.*?)```/s.exec(document) ?? []
    const { send } = await import(`data:text/javascript,${encodeURIComponent(`export ${code}`)}`)
    const request = new Request(`http://localhost:${(flaky.address() as AddressInfo).port}`, {
      method: 'POST',
      body: '{}',
    })
    expect([(await send(request)).status, requests]).toEqual([200, 2])
    expect([(await send(request)).status, requests]).toEqual([400, 3])
    expect([(await send(request, 1)).status, requests]).toEqual([503, 4])
    flaky.close()
  })
})
