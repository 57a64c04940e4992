import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from '../../support/portal/open-browser.ts'
import { type CollectionServer, openCollectionServer } from '../../support/sdk/collection-server.ts'
import { PROJECT } from '../../support/start-process.ts'

/** Typed into pages; none of it may leave them. */
const CANARY = 'Zq7#Kx'

let server: CollectionServer
let context: BrowserContext
let faults: string[]

beforeEach(async () => {
  server = await openCollectionServer(join(PROJECT, 'api/sdk/dist'))
  context = await (await openBrowser()).newContext({ hasTouch: true })
  faults = []
  context.on('weberror', (error) => faults.push(String(error.error().stack)))
  context.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text())
  })
})
afterEach(async () => {
  await context.close()
  await server[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

/** Opens a page with these fields that starts the SDK as `inkling`. */
async function openPage(body: string, options = ''): Promise<Page> {
  server.html = `${body}<script src="/sdk/inkling.js"></script><script>
    inkling = Inkling.start({ key: 'pk_test', endpoint: '/c', consent: 'granted', ${options} })</script>`
  const page = await context.newPage()
  await page.goto(`${server.url}/apply?mail=ann@example.org#top`)
  return page
}

const untilOpened = (page: Page) => expect.poll(() => page.evaluate('inkling.id')).toMatch(/^c_/)
const complete = (page: Page) => page.evaluate('inkling.complete()')
const segments = () => [...server.collections.values()].flatMap((one) => [...one.segments.values()])

test('a session has what the user did, by kinds and lengths, and what the browser says', async () => {
  const page = await openPage(
    '<form name="loan"><input name="fullName" autocomplete="name" required><select name="term"><option>6<option>12</select></form>',
    "modules: ['graphics']",
  )
  await untilOpened(page)
  await page.click('[name=fullName]')
  await page.keyboard.type('A1 !')
  await page.keyboard.press('Backspace')
  await page.selectOption('[name=term]', '12')
  await page.touchscreen.tap(40, 50)
  await page.mouse.wheel(0, 120)
  await page.evaluate("document.querySelector('[name=fullName]').dispatchEvent(new Event('change'))")
  await page.evaluate("inkling.page('/apply/ann@example.org/20391?x=1')")
  await page.waitForTimeout(1_500) // graphics are read while the browser is idle
  expect(await complete(page)).toEqual({ id: 'd1', referenceNumber: null, uploadDate: null })

  const events = server.events()
  const keys = events.filter(({ type }) => type === 'key')
  expect(keys.map(({ kind }) => kind)).toEqual(['letter', 'digit', 'space', 'symbol', 'backspace'])
  for (const key of keys) expect(key).toMatchObject({ target: 'fullName', dwellMs: expect.any(Number) })
  expect(events.filter(({ type }) => type === 'input').map(({ target, length }) => [target, length])).toEqual(
    [...[1, 2, 3, 4, 3].map((length) => ['fullName', length]), ['term', undefined]],
  )
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'change', target: 'fullName', trusted: false }),
  )
  expect(events).toContainEqual(expect.objectContaining({ type: 'wheel', dx: 0, dy: 120 }))
  expect(events.filter(({ type }) => type === 'touch').map(({ phase, finger }) => [phase, finger])).toEqual([
    ['start', 0],
    ['end', 0],
  ])
  expect(segments().flatMap(({ views = [] }) => views.map(({ path }) => path))).toEqual([
    '/apply',
    '/apply/{email}/{digits}',
  ])
  expect(segments().flatMap(({ fields = [] }) => fields)).toEqual([
    { name: 'fullName', kind: 'text', autocomplete: 'name', required: true, index: 0 },
    { name: 'term', kind: 'select', index: 1 },
  ])
  const facts = Object.assign({}, ...segments().map((one) => one.facts?.web))
  expect(facts).toMatchObject({
    browser: { userAgent: expect.stringContaining('Chrome'), webdriver: true, automation: expect.any(Array) },
    screen: { widthPx: expect.any(Number), density: 1 },
    viewport: { widthPx: 1280, heightPx: 720 },
    preferences: { colorScheme: 'light', contrast: 'no-preference' },
    page: { origin: server.url, path: '/apply', navigationType: 'navigate' },
    graphics: { canvasHash: expect.stringMatching(/^[\da-f]{14}$/), fontsHash: expect.any(String) },
  })
})

test('requests need no preflight, have no cookies, and are only to the endpoint', async () => {
  const page = await openPage('<input name="a">')
  await page.evaluate("document.cookie = 'session=1'")
  await untilOpened(page)
  await page.fill('[name=a]', 'x'.repeat(50))
  await complete(page)
  const paths = server.requests.map(({ method, path }) => `${method} ${path}`)
  expect(new Set(paths)).toEqual(new Set(['POST /c/open', 'POST /c/complete']))
  for (const { headers } of server.requests) {
    expect(headers).toMatchObject({ 'content-type': 'text/plain' })
    expect(headers.cookie).toBeUndefined()
    expect(headers.referer).toBe(`${server.url}/`)
  }
})

describe('privacy', () => {
  const FIELDS = `
    <input name="fullName"><textarea name="notes"></textarea><div id="editor" contenteditable></div>
    <input name="secret1" type="password"><input name="code" autocomplete="one-time-code">
    <input name="card" autocomplete="cc-number"><input name="cvv"><input type="hidden" name="hiddenOne" value="${CANARY}">
    <div data-inkling-ignore><input name="ignored1"></div><div class="private"><input name="ignored2"></div>
    <div id="host"></div>
    <script>for (const [name, type] of [['inShadow', 'text'], ['shadowPass', 'password']])
      (host.shadowRoot ?? host.attachShadow({ mode: 'open' })).append(Object.assign(document.createElement('input'), { name, type }))
    </script>`
  const NAMES = 'fullName notes secret1 code card cvv ignored1 ignored2 inShadow shadowPass'.split(' ')

  test('no character leaves the page; of secret fields also no kind of key and no length, also once they are shown', async () => {
    const page = await openPage(FIELDS, "ignore: '.private'")
    await untilOpened(page)
    const stored = async () => JSON.stringify(await page.evaluate('Object.entries(localStorage)'))
    for (const selector of [...NAMES.map((name) => `[name=${name}]`), '#editor']) {
      await page.locator(selector).focus()
      await page.keyboard.type(CANARY)
      await page.locator(selector).evaluate((field) => {
        if ('type' in field && field.type === 'password') field.type = 'text'
      })
      await page.keyboard.type(CANARY)
    }
    expect(await stored()).not.toContain(CANARY)
    await complete(page)
    expect(server.requests.map(({ text }) => text).join()).not.toContain(CANARY)
    expect(await stored()).not.toContain(CANARY)

    const typedIn = (type: string) =>
      [
        ...new Set(
          server
            .events()
            .filter((event) => event.type === type)
            .map(({ target }) => target),
        ),
      ].toSorted()
    expect(typedIn('key')).toEqual(['editor', 'fullName', 'inShadow', 'notes'])
    expect(typedIn('input')).toEqual(['editor', 'fullName', 'inShadow', 'notes'])
    const text = server.requests.map((request) => request.text).join()
    for (const name of ['ignored1', 'ignored2', 'hiddenOne']) expect(text).not.toContain(name)
  })

  test('while consent is pending, nothing is listened to, read, stored or sent', async () => {
    server.html = `<script>
      calls = []
      for (const [object, name] of [[window, 'addEventListener'], [document, 'addEventListener'],
        [Storage.prototype, 'getItem'], [Storage.prototype, 'setItem'], [navigator.locks, 'request'], [window, 'fetch']]) {
        const original = object[name]
        object[name] = function (...args) { calls.push(name); return original.apply(this, args) }
      }</script><input name="a"><script src="/sdk/inkling.js"></script><script>
      inkling = Inkling.start({ key: 'pk_test', endpoint: '/c', consent: 'pending' })</script>`
    const page = await context.newPage()
    await page.goto(server.url)
    await page.fill('[name=a]', 'abc')
    await page.waitForTimeout(300)
    expect(await page.evaluate('calls')).toEqual([])
    expect(server.requests).toEqual([])
    await page.evaluate('inkling.grant({ policy: "2026-09" })')
    await untilOpened(page)
    expect(segments()[0]?.facts?.consent).toMatchObject({ basis: 'consent', policy: '2026-09' })
  })

  test('withdrawing erases the storage and the collection', async () => {
    const page = await openPage('<input name="a">')
    await untilOpened(page)
    await page.fill('[name=a]', 'abc')
    await page.evaluate('inkling.withdraw()')
    await expect.poll(() => [...server.collections.values()].map(({ ended }) => ended)).toEqual(['withdraw'])
    await expect.poll(() => page.evaluate('Object.keys(localStorage)')).toEqual([])
    expect(server.events()).toEqual([])
  })

  test('beforeSend sees every segment, changes it, and discards it by null or an error', async () => {
    const page = await openPage(
      '<input name="a">',
      'beforeSend: (segment) => ({ ...segment, events: segment.events.filter(({ type }) => type === "focus") })',
    )
    await untilOpened(page)
    await page.locator('[name=a]').focus()
    await page.keyboard.type('abc')
    await complete(page)
    expect(server.events().map(({ type }) => type)).toEqual(['focus'])
  })
})

describe('delivery', () => {
  const typeIn = async (page: Page) => {
    await page.locator('[name=a]').focus()
    await page.keyboard.type('0123456789')
  }
  const keysArrived = () => server.events().filter(({ type }) => type === 'key').length

  test('a page that is closed has sent everything', async () => {
    const page = await openPage('<input name="a">')
    await untilOpened(page)
    await typeIn(page)
    await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })])
    await expect.poll(keysArrived).toBe(10)
  })

  test('the next page, and a page that is opened again after it was offline, go on with the collection', async () => {
    const page = await openPage('<input name="a">')
    await untilOpened(page)
    await typeIn(page)
    await page.goto(`${server.url}/step-2`)
    await untilOpened(page)
    await context.setOffline(true)
    await typeIn(page)
    await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })])
    await context.setOffline(false)
    const again = await context.newPage()
    await again.goto(`${server.url}/step-2`)
    await untilOpened(again)
    await typeIn(again)
    await complete(again)
    expect([keysArrived(), server.collections.size]).toEqual([30, 1])
  })

  test('complete() resolves only once the server has stored everything', async () => {
    const page = await openPage('<input name="a">')
    await untilOpened(page)
    await typeIn(page)
    server.failure = { status: 503, retryAfterSeconds: 1 }
    await page.evaluate('inkling.complete().then(() => { done = true }); done = false')
    await page.waitForTimeout(700)
    expect(await page.evaluate('done')).toBe(false)
    server.failure = undefined
    await expect.poll(() => page.evaluate('done')).toBe(true)
    expect(keysArrived()).toBe(10)
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['inkling:device'])
  })

  test('a refused key ends the recording, and complete() rejects with its title', async () => {
    server.failure = { status: 401, title: 'site_key_invalid' }
    const page = await openPage('<input name="a">')
    expect(await page.evaluate('inkling.complete().catch(({ code }) => code)')).toBe('site_key_invalid')
    await typeIn(page)
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['inkling:device'])
  })

  test('a collection that the service has closed because it was silent too long: complete() rejects with its title', async () => {
    const page = await openPage('<input name="a">')
    await untilOpened(page)
    server.failure = { status: 409, title: 'collection_closed' }
    expect(await page.evaluate('inkling.complete().catch(({ code }) => code)')).toBe('collection_closed')
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['inkling:device'])
  })

  test('a page that stays, because a link leads to another program, records on', async () => {
    const page = await openPage('<input name="a"><a href="mailto:ann@example.org">Mail</a>')
    await untilOpened(page)
    await page.locator('[name=a]').focus()
    await page.evaluate(
      "addEventListener('beforeunload', () => { left = true }); document.querySelector('a').click()",
    )
    expect(await page.evaluate('left')).toBe(true)
    await page.keyboard.type('0123456789')
    await complete(page)
    expect([keysArrived(), server.collections.size]).toEqual([10, 1])
  })

  test('names with signs that a replacement would read stay as they are', async () => {
    const page = await openPage('<input name="a$&b$\'">')
    await untilOpened(page)
    await complete(page)
    expect(segments().flatMap(({ fields = [] }) => fields)).toMatchObject([{ name: "a$&b$'" }])
  })

  test('segments that the server lacks are sent again, or an empty one in the place of a lost one', async () => {
    const page = await openPage('<input name="a">')
    await untilOpened(page)
    await page.waitForTimeout(100)
    for (const { segments: stored } of server.collections.values()) stored.clear()
    await typeIn(page)
    await complete(page)
    expect(keysArrived()).toBe(10)
    expect(
      segments()
        .map(({ n }) => n)
        .toSorted(),
    ).toEqual([0, 1])
  })

  test('two tabs record nothing twice', async () => {
    const page = await openPage('<input name="a">')
    await untilOpened(page)
    const other = await context.newPage()
    await other.goto(`${server.url}/apply`)
    await untilOpened(other)
    await typeIn(page)
    await typeIn(other)
    await Promise.all([complete(page), complete(other)])
    expect([keysArrived(), server.collections.size]).toEqual([20, 2])
  })

  test('large segments are sealed early and compressed', async () => {
    const page = await openPage('<input name="a">')
    await untilOpened(page)
    await page.evaluate(`for (let at = 0; at < 600; at++)
      document.querySelector('[name=a]').dispatchEvent(new Event('change'))`)
    await expect.poll(() => server.events().length).toBeGreaterThan(300)
    const sent = server.requests.filter(({ path }) => path === '/c')
    expect(sent.map(({ gzipped }) => gzipped)).not.toContain(false)
    for (const { text } of sent) expect(text.length).toBeLessThan(20_000)
  })
})

describe('cost', () => {
  // other processes only add to a time, so the least of several is the nearest
  test('starting takes at most 3 ms, and an event 0.1 ms', async () => {
    const page = await openPage('<form><input name="a"></form>')
    await untilOpened(page)
    const starts = (await page.evaluate(`Array.from({ length: 21 }, (_, at) => {
      const from = performance.now()
      const one = Inkling.start({ key: 'pk_' + at, endpoint: '/c', consent: 'granted' })
      const took = performance.now() - from
      one.stop()
      return took
    })`)) as number[]
    const perEvent = (await page.evaluate(`Array.from({ length: 11 }, () => {
      const field = document.querySelector('[name=a]')
      const from = performance.now()
      for (let at = 0; at < 100; at++) field.dispatchEvent(new InputEvent('input', { inputType: 'insertText' }))
      return (performance.now() - from) / 100
    })`)) as number[]
    const measured = { startMs: Math.min(...starts), perEventMs: Math.min(...perEvent) }
    expect(measured.startMs, JSON.stringify(measured)).toBeLessThanOrEqual(3)
    expect(measured.perEventMs, JSON.stringify(measured)).toBeLessThanOrEqual(0.1)
  })
})
