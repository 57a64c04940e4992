import type { CDPSession } from 'playwright-core'
import { expect, test } from 'vitest'
import { openBrowser } from '../support/portal/open-browser.ts'
import { withCaptureSite } from '../support/sdk/capture-site.ts'
import { formPage } from '../support/sdk/form-page.ts'

const site = withCaptureSite()

const EVENTS = 2_000
const LETTERS = 'abcdefghijklmnopqrst'

const OBSERVE_LONG_TASKS = `
  var long = []
  new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })
  0`

/** Returns the middle one. */
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Processor time of the page's main thread, in milliseconds: what else the machine does is no part of it. */
async function threadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000
}

test('the start takes 3 ms, an event 0.1 ms of processor time; complete() and throttled frames are measured', async () => {
  const route = site.openRoute()
  site.pages.set('cost', formPage(route, { key: site.keys.claimed, consent: 'pending' }))
  const context = await (await openBrowser()).newContext()
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const measure = async (expression: string) => {
      const before = await threadMs(session)
      await page.evaluate(expression)
      return (await threadMs(session)) - before
    }
    const measureTyping = async () => {
      const before = await threadMs(session)
      await page.keyboard.type(LETTERS)
      return (await threadMs(session)) - before
    }
    const dispatch = `{
      const field = document.querySelector('[name=full-name]')
      for (let n = 0; n < ${EVENTS}; n++)
        field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText', data: 'x' }))
    }`

    // the start returns at once; it goes on when the tab has its lock, and loads a module
    const pause = 'new Promise((resolve) => setTimeout(resolve, 300))'
    const [returned, started, idle, typed, typedWithout]: number[][] = [[], [], [], [], []]
    for (let n = 0; n < 5; n++) {
      await page.goto(`${site.url}/page/cost`)
      await page.click('[name=full-name]')
      idle?.push(await measure(pause))
      typedWithout?.push(await measureTyping())
      started?.push(await measure(`inkling.grant(); ${pause}`))
      typed?.push(await measureTyping())
      await page.evaluate('inkling.withdraw()')
      returned?.push(
        Number(
          await page.evaluate(
            '{ const from = performance.now(); inkling.grant(); performance.now() - from }',
          ),
        ),
      )
      if (n < 4) await page.evaluate('inkling.withdraw()')
    }
    // the fastest of five is one that no other program interrupted
    const call = Math.min(...(returned ?? []))
    const start = median(started ?? []) - median(idle ?? [])
    const perLetter = (median(typed ?? []) - median(typedWithout ?? [])) / LETTERS.length
    const withSdk = await measure(dispatch)
    await page.evaluate('inkling.withdraw()')
    const without = await measure(dispatch)
    const perEvent = (withSdk - without) / EVENTS

    const completions: number[] = []
    for (let n = 0; n < 11; n++) {
      await page.evaluate('inkling.grant()')
      await page.click('[name=full-name]')
      await page.keyboard.type('abc')
      await expect.poll(() => page.evaluate('inkling.id !== undefined')).toBe(true)
      completions.push(
        Number(
          await page.evaluate(
            '{ const from = performance.now(); inkling.complete().then(() => performance.now() - from) }',
          ),
        ),
      )
      await page.reload()
    }

    const longTasks: string[] = []
    for (const rate of [4, 6])
      for (const act of ['0', 'inkling.grant()']) {
        await page.reload()
        await page.evaluate(OBSERVE_LONG_TASKS)
        await session.send('Emulation.setCPUThrottlingRate', { rate })
        await page.evaluate(act)
        await page.click('[name=full-name]')
        await page.keyboard.type(LETTERS)
        await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
        longTasks.push(`${rate}× ${act === '0' ? 'without' : 'with'}: [${await page.evaluate('long')}]`)
        await page.evaluate('inkling.withdraw()')
      }
    process.stdout.write(
      `start ${call.toFixed(2)} ms, and ${start.toFixed(1)} ms of the main thread in the 0.3 s after it; event ${(perEvent * 1_000).toFixed(1)} µs, typed letter ${(perLetter * 1_000).toFixed(0)} µs of processor time; ` +
        `complete() p50 ${median(completions).toFixed(1)} ms; ms of long tasks while throttled ${longTasks.join(', ')}\n`,
    )
    expect(call).toBeLessThanOrEqual(3)
    expect(perEvent).toBeLessThanOrEqual(0.1)
  } finally {
    await context.close()
  }
})
