import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe, { type Result, type RunOnly, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PROJECT } from '../start-process.ts'
import { type Look, viewportOf } from './open-portal.ts'

/** Expects no accessibility violations that axe can detect on the page. @see WCAG 2.2, levels A and AA */
export const checkAccessibility = (page: Page): Promise<void> =>
  runAxe(page, { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })

/** The rules about colours: the only ones whose result depends on light or dark mode. */
export const checkColours = (page: Page): Promise<void> =>
  runAxe(page, { type: 'rule', values: ['color-contrast', 'link-in-text-block'] })

/** Runs axe in the page itself, which has no frames. To evaluate its source, once a document, costs more than a run. */
async function runAxe(page: Page, runOnly: RunOnly): Promise<void> {
  if ((await page.evaluate('typeof axe')) !== 'object') await page.evaluate(axe.source)
  const options: RunOptions = { runOnly, resultTypes: ['violations'] }
  const violations: Result[] = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  const summaries = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((n) => n.html).join('\n  ')}`,
  )
  expect(summaries).toEqual([])
}

/** Expects the page to be no wider than the screen. */
export async function checkFits(page: Page): Promise<void> {
  const beyond = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect(beyond, 'pixels beyond the screen').toBeLessThanOrEqual(0)
}

/**
 * Saves a screenshot of the page for people: test/screenshots/NAME.png. Only if SCREENSHOTS is set: no
 * test depends on it, and it uses processor time that other tests need.
 */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  const directory = join(PROJECT, 'test/screenshots')
  await mkdir(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true })
}

/** Looks of a page besides the default, a laptop in light mode. */
const LOOKS = [
  { name: 'dark', dark: true, check: checkAccessibility },
  { name: 'phone', width: 'phone', check: checkAccessibility },
  // was checked by all rules in each width and in each mode: only colours depend on both
  { name: 'phone-dark', width: 'phone', dark: true, check: checkColours },
] as const satisfies (Look & { name: string; check: (page: Page) => Promise<void> })[]

/**
 * Checks in each look that the page fits and is accessible, and saves its screenshot: NAME-dark, NAME-phone and
 * NAME-phone-dark. Leaves the page in the last look.
 */
export async function checkLooks(page: Page, name: string): Promise<void> {
  for (const { name: look, check, ...shown } of LOOKS) {
    const { width = 'desktop', dark = false }: Look = shown
    await page.setViewportSize(viewportOf(width))
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
    await page.evaluate(AT_REST)
    await checkFits(page)
    await check(page)
    await takeScreenshot(page, `${name}-${look}`)
  }
}

/** Resolves when the page is redrawn after a resize and its animations have ended. */
const AT_REST = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
  Promise.allSettled(document.getAnimations().flatMap((one) =>
    Number.isFinite(one.effect.getComputedTiming().endTime) ? [one.finished] : [])))
  .then(() => undefined)`
