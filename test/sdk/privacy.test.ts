import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { CaptureEvent } from '../../db/capture/event.ts'
import type { Db } from '../../db/postgres/database.ts'
import { withCaptureSite } from '../support/sdk/capture-site.ts'
import { type Profile, type Tab, testInBrowsers } from '../support/sdk/engines.ts'
import { formPage } from '../support/sdk/form-page.ts'

const site = withCaptureSite()

/** A word that occurs nowhere else: letters only, as fields of names and numbers take them, or digits only. */
const word = (name: string) => `${name}Qz${randomBytes(6).toString('hex').replace(/\d/g, 'x')}`
const digits = () => `7${BigInt(`0x${randomBytes(8).toString('hex')}`)}`.slice(0, 14)

/** Everything that the page's user types or the page's author writes, by the place where it is. */
const CANARIES = {
  text: word('text'),
  email: `${word('email')}@mail.example`,
  tel: digits(),
  number: digits(),
  search: word('search'),
  area: word('area'),
  editable: word('editable'),
  password: word('password'),
  toggled: word('toggled'),
  shown: word('shown'),
  masked: word('masked'),
  unmasked: word('unmasked'),
  code: digits(),
  card: digits(),
  cvc: digits(),
  ignored: word('ignored'),
  excluded: word('excluded'),
  shadow: word('shadow'),
  shadowPassword: word('shadowPassword'),
  pasted: word('pasted'),
  // not typed
  hidden: word('hidden'),
  ignoredName: word('ignoredName'),
  option: word('option'),
  label: word('label'),
  placeholder: word('placeholder'),
  value: word('value'),
  title: word('title'),
  query: word('query'),
  hash: word('hash'),
  cookie: word('cookie'),
  storage: word('storage'),
  pathEmail: `${word('pathEmail')}@mail.example`,
  pathDigits: digits(),
  nameDigits: digits(),
} as const
const { option, label, placeholder, value, hidden, ignoredName, title, nameDigits } = CANARIES

const FORM = `<title>${title}</title>
<form>
  <label>${label} <input name="text" placeholder="${placeholder}"></label>
  <input name="prefilled" value="${value}" aria-label="p">
  <input name="email" type="email" aria-label="e">
  <input name="tel" type="tel" aria-label="t">
  <input name="number" type="number" aria-label="n">
  <input name="search" type="search" aria-label="s">
  <textarea name="area" aria-label="a"></textarea>
  <select name="choice" aria-label="c"><option>-</option><option value="${option}">${option}</option></select>
  <div id="editable" contenteditable="true" aria-label="d">.</div>
  <input name="first-secret" type="password" aria-label="1">
  <input name="second-secret" type="password" id="toggled" aria-label="2">
  <input name="styled" aria-label="m">
  <textarea name="unstyled" aria-label="u"></textarea>
  <input name="code" autocomplete="one-time-code" inputmode="numeric" aria-label="o">
  <input name="card" autocomplete="cc-number" aria-label="cc">
  <input name="check" autocomplete="cc-csc" aria-label="csc">
  <input name="hidden" type="hidden" value="${hidden}">
  <p data-inkling-ignore><input name="${ignoredName}" id="ignored" aria-label="i"></p>
  <input name="excluded" class="not-for-capture" aria-label="x">
  <input name="ref ${nameDigits}" id="numbered" aria-label="r">
  <input name="pasted" aria-label="v">
</form>
<div id="host"></div>
<script nonce="NONCE">
  for (const name of ['styled', 'unstyled'])
    document.querySelector('[name=' + name + ']').style.webkitTextSecurity = 'disc'
  const root = document.getElementById('host').attachShadow({ mode: 'open' })
  for (const [name, type] of [['in-shadow', 'text'], ['secret-in-shadow', 'password']]) {
    const input = document.createElement('input')
    Object.assign(input, { name, type, id: name })
    root.append(input)
  }
</script>`

/** Fields about which nothing is sent that depends on what is typed. */
const SECRET = [
  'first-secret',
  'second-secret',
  'styled',
  'unstyled',
  'code',
  'card',
  'check',
  'secret-in-shadow',
]

/** Types into a field that has the focus by script, also where it is in a shadow tree. */
async function typeInto(tab: Tab, element: string, text: string): Promise<void> {
  await tab.evaluate(`(${element}).focus()`)
  await tab.keyboard.type(text)
}

const storageOf = (tab: Tab) =>
  tab.evaluate(
    'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])',
  )

testInBrowsers(
  'nothing that is typed, pasted, hidden or ignored is on the wire, in storage or in the tables',
  async (engine) => {
    const route = site.openRoute()
    site.pages.set('canaries', formPage(route, { key: site.keys.claimed, ignore: '.not-for-capture' }, FORM))
    const profile = await engine.openProfile()
    try {
      const { pathEmail, pathDigits, query, hash, cookie, storage } = CANARIES
      const tab = await profile.openTab()
      await tab.goto(`${site.url}/page/canaries/${pathEmail}/${pathDigits}?q=${query}#${hash}`)
      await tab.evaluate(
        `document.cookie = 'c=${cookie}'; localStorage.setItem('theirs', '${storage}'); undefined`,
      )
      const named = (name: string) => `document.querySelector('[name="${name}"]')`
      for (const name of ['text', 'email', 'tel', 'number', 'search', 'area'] as const)
        await typeInto(tab, named(name), CANARIES[name])
      await typeInto(tab, 'document.getElementById("editable")', CANARIES.editable)
      await typeInto(tab, named('first-secret'), CANARIES.password)
      await typeInto(tab, named('second-secret'), CANARIES.toggled)
      await tab.evaluate(`document.getElementById('toggled').type = 'text'`)
      await typeInto(tab, named('second-secret'), CANARIES.shown)
      await typeInto(tab, named('styled'), CANARIES.masked)
      await tab.evaluate(`for (const field of [${named('styled')}, ${named('unstyled')}]) field.style = ''`)
      for (const name of ['styled', 'unstyled']) await typeInto(tab, named(name), CANARIES.unmasked)
      await typeInto(tab, named('code'), CANARIES.code)
      await typeInto(tab, named('card'), CANARIES.card)
      await typeInto(tab, named('check'), CANARIES.cvc)
      await typeInto(tab, 'document.getElementById("ignored")', CANARIES.ignored)
      await typeInto(tab, named('excluded'), CANARIES.excluded)
      await typeInto(tab, 'document.getElementById("numbered")', 'abc')
      for (const [name, text] of [
        ['in-shadow', CANARIES.shadow],
        ['secret-in-shadow', CANARIES.shadowPassword],
      ] as const)
        await typeInto(tab, `document.getElementById('host').shadowRoot.getElementById('${name}')`, text)
      await tab.evaluate(`{
      const field = ${named('pasted')}, data = new DataTransfer()
      data.setData('text/plain', '${CANARIES.pasted}')
      field.focus()
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, composed: true }))
      field.value = '${CANARIES.pasted}'
      field.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste', data: '${CANARIES.pasted}', bubbles: true }))
      const choice = ${named('choice')}
      choice.selectedIndex = 1
      choice.dispatchEvent(new Event('change', { bubbles: true }))
    }`)
      const stored = [String(await storageOf(tab))]
      const receipt = tab.evaluate('inkling.complete().then(() => inkling.id)')
      stored.push(String(await storageOf(tab)))
      const id = await receipt
      stored.push(String(await storageOf(tab)))

      // the page's own cookie and item are not ours; the browser sends no cookie to the endpoint
      const own = stored.join('\n').replaceAll(storage, '').replaceAll(cookie, '')
      const wire = route.sent.join('\n')
      expect(wire).toContain('"type":"key"')
      const found = (text: string) =>
        Object.entries(CANARIES).filter(([, canary]) => text.toLowerCase().includes(canary.toLowerCase()))
      expect(found(wire)).toEqual([])
      expect(found(own)).toEqual([])
      expect(found(await readTables(site.stack.db))).toEqual([])

      const [collection] = await site.listStored(route)
      expect(collection).toMatchObject({ id, completed: true })
      const events = collection?.events ?? []
      const about = (name: string) => events.filter(({ target }) => target === name)
      for (const name of SECRET) {
        expect(about(name).map(({ type }) => type)).not.toEqual([])
        expect(
          about(name).filter(
            ({ type, kind, length }) => type === 'key' || type === 'input' || kind || length,
          ),
        ).toEqual([])
      }
      for (const name of ['hidden', 'excluded']) expect(about(name)).toEqual([])
      expect(about('ref {digits}').filter(({ type }) => type === 'key')).toHaveLength(3)
      expect(about('in-shadow').filter(({ type }) => type === 'key')).toHaveLength(CANARIES.shadow.length)
      expect(about('pasted')).toContainEqual(expect.objectContaining({ type: 'input', pasted: true }))
      // no member besides those of the format, and of a key its kind only
      const members = new Set(events.flatMap((event) => Object.keys(event)))
      expect([...members].filter((member) => !(member in CaptureEvent.shape))).toEqual([])
      expect([...new Set(events.flatMap(({ kind }) => kind ?? []))].toSorted()).toEqual([
        'digit',
        'letter',
        'symbol',
      ])
      expect(await tab.evaluate('violations')).toEqual([])
    } finally {
      await profile.close()
    }
  },
)

/** Returns all rows of all tables as text, with binary columns inflated. */
async function readTables(db: Db): Promise<string> {
  const { rows: tables } = await db.raw(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const texts: string[] = []
  for (const { name } of tables)
    for (const row of (await db.raw('select * from ??', [name])).rows)
      for (const value of Object.values(row))
        texts.push(Buffer.isBuffer(value) ? inflated(value) : (JSON.stringify(value) ?? ''))
  return texts.join('\n')
}

const inflated = (bytes: Buffer): string =>
  (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString()

/** Counts listeners on window and document from before the page's scripts. */
const COUNT_LISTENERS = `<script nonce="NONCE">
  var listened = []
  const add = EventTarget.prototype.addEventListener
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (this === window || this === document || this === undefined) listened.push(type)
    return add.call(this ?? window, type, ...rest)
  }
</script>`

const traces = (tab: Tab) =>
  tab.evaluate(`Promise.all([navigator.locks.query(), indexedDB.databases()]).then(([locks, databases]) => ({
    listened: listened.filter((type) => type !== 'securitypolicyviolation'),
    storage: localStorage.length + sessionStorage.length,
    cookie: document.cookie,
    locks: locks.held.length + locks.pending.length,
    databases: databases.length,
    requests: performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => !/\\/(sdk\\/v1\\.js|favicon\\.ico)$/.test(name)),
  }))`)

testInBrowsers(
  'while consent is pending there is no listener, storage, lock or request; afterwards there are',
  async (engine) => {
    const route = site.openRoute()
    const html = formPage(route, { key: site.keys.claimed, consent: 'pending' })
    site.pages.set('pending', html.replace('<script', `${COUNT_LISTENERS}<script`))
    await withTab(engine.openProfile(), async (tab) => {
      await tab.goto(`${site.url}/page/pending`)
      await tab.click('[name=full-name]')
      await tab.keyboard.type('abc')
      await tab.evaluate('inkling.page("/second")')
      await delay(1_000)
      const requests: string[] = []
      expect(await traces(tab)).toEqual({
        listened: [],
        storage: 0,
        cookie: '',
        locks: 0,
        databases: 0,
        requests,
      })
      expect(route.sent).toEqual([])
      expect(await tab.evaluate('inkling.complete().catch(({ code }) => code)')).toBe('not_collecting')

      await tab.evaluate('inkling.grant({ basis: "consent", policy: "2026-10" })')
      // it starts in several tasks, before which nothing is recorded
      await expect.poll(() => traces(tab)).not.toMatchObject({ listened: [] })
      await tab.keyboard.type('def')
      await tab.evaluate('inkling.complete().then(() => 1)')
      const [collection] = await site.listStored(route)
      expect(collection?.events.filter(({ type }) => type === 'key')).toHaveLength(3)
      expect(collection?.segments.find(({ facts }) => facts?.consent)?.facts?.consent).toMatchObject({
        basis: 'consent',
        policy: '2026-10',
      })
    })
  },
)

testInBrowsers('withdrawing erases what is stored in the browser and on the service', async (engine) => {
  const route = site.openRoute()
  site.pages.set('withdrawn', formPage(route, { key: site.keys.claimed }))
  await withTab(engine.openProfile(), async (tab) => {
    await tab.goto(`${site.url}/page/withdrawn`)
    await tab.click('[name=full-name]')
    await tab.keyboard.type('abc')
    await expect.poll(async () => (await site.listStored(route)).length).toBe(1)
    await tab.evaluate('inkling.withdraw()')
    await expect.poll(() => site.listStored(route)).toEqual([])
    await expect.poll(() => tab.evaluate('localStorage.length')).toBe(0)
    await tab.keyboard.type('def')
    await delay(500)
    expect(await tab.evaluate('localStorage.length')).toBe(0)
    const { rows } = await site.stack.db.raw('select 1 from collections where nonce = any(?)', [
      [...route.nonces],
    ])
    expect(rows).toEqual([])
  })
})

async function withTab(opening: Promise<Profile>, act: (tab: Tab) => Promise<void>): Promise<void> {
  const profile = await opening
  try {
    await act(await profile.openTab())
  } finally {
    await profile.close()
  }
}

test('the canaries are words that differ from each other', () => {
  expect(new Set(Object.values(CANARIES)).size).toBe(Object.keys(CANARIES).length)
})
