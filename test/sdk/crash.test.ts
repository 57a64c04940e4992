import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import puppeteer from 'puppeteer-core'
import { expect, test } from 'vitest'
import { withCaptureSite } from '../support/sdk/capture-site.ts'
import { formPage } from '../support/sdk/form-page.ts'
import { findFirefox } from '../support/sdk/open-firefox.ts'

const site = withCaptureSite()

/** The SDK's longest time until what it has recorded is in the journal. */
const SEAL_MS = 5_000

/** Lists the processes in which a Firefox shows its tabs. */
async function listContentProcesses(browser: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const processes = await Promise.all(
    pids.map(async (pid) => {
      const [stat = '', command = ''] = await Promise.all(
        ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      )
      const parent = Number(stat.replace(/^.*\) \S /s, '').split(' ')[0])
      return { pid: Number(pid), parent, isTab: /-contentproc\b.*\btab\0?$/s.test(command) }
    }),
  )
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]))
  const isOfBrowser = (pid: number | undefined): boolean =>
    pid === browser || (pid !== undefined && isOfBrowser(parents.get(pid)))
  return processes.filter(({ pid, isTab }) => isTab && isOfBrowser(pid)).map(({ pid }) => pid)
}

test.skipIf(findFirefox() === undefined)(
  'Firefox loses at most 5 s when the process of a tab is killed: the rest arrives once the page is open again',
  { timeout: 120_000 },
  async () => {
    const route = site.openRoute()
    site.pages.set('killed', formPage(route, { key: site.keys.claimed }))
    const executablePath = findFirefox() ?? ''
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath, protocolTimeout: 20_000 })
    try {
      const open = async () => {
        const page = await browser.newPage()
        await page.goto(`${site.url}/page/killed`)
        await page.click('[name=full-name]')
        return page
      }
      const page = await open()
      await page.keyboard.type('abc')
      await expect.poll(async () => (await site.listStored(route)).length).toBe(1)
      route.failure = 503
      await page.keyboard.type('def')
      await delay(SEAL_MS + 500)
      await page.keyboard.type('gh')
      const processes = await listContentProcesses(browser.process()?.pid ?? 0)
      for (const pid of processes) process.kill(pid, 'SIGKILL')
      expect(processes).not.toEqual([])
      // the browser keeps processes ready for new tabs, which were killed as well
      const isReplaced = async () =>
        (await listContentProcesses(browser.process()?.pid ?? 0)).some((pid) => !processes.includes(pid))
      await expect.poll(isReplaced).toBe(true)
      route.failure = undefined
      // a tab that gets one of those all the same never opens: the user opens another one
      const again = await open().catch(open)
      await again.keyboard.type('ij')
      await again.evaluate('inkling.complete().then(() => 1)')

      const [collection, ...more] = await site.listStored(route)
      expect(more).toEqual([])
      expect(collection?.completed).toBe(true)
      const events = collection?.events ?? []
      expect(new Set(events.map((event) => JSON.stringify(event))).size).toBe(events.length)
      const keys = events.filter(({ type }) => type === 'key').length
      expect(keys).toBeGreaterThanOrEqual('abcdef'.length + 'ij'.length)
      expect(keys).toBeLessThanOrEqual('abcdefghij'.length)
    } finally {
      await browser.close()
    }
  },
)
