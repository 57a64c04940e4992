import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PROJECT } from '../start-process.ts'
import { type Look, viewportOf } from './open-portal.ts'

/** Expects no accessibility violations that axe can detect on the page. @see WCAG 2.2, levels A and AA */
export async function checkAccessibility(page: Page): Promise<void> {
  // a document that was checked before already contains axe, which is large
  const hasAxe = (await page.evaluate('typeof axe')) === 'object'
  const { violations } = await new AxeBuilder({ page, ...(hasAxe && { axeSource: 'axe.version' }) })
    .options({ resultTypes: ['violations'] })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .setLegacyMode() // without an extra page to combine the results of frames: there are no frames
    .analyze()
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
const LOOKS = {
  dark: { dark: true },
  phone: { width: 'phone' },
  'phone-dark': { width: 'phone', dark: true },
} as const satisfies Record<string, Look>

/**
 * Checks in each look that the page fits and is accessible, and saves its screenshot: NAME-dark, NAME-phone and
 * NAME-phone-dark. Leaves the page in the last look.
 */
export async function checkLooks(page: Page, name: string): Promise<void> {
  for (const [look, { width = 'desktop', dark = false }] of Object.entries<Look>(LOOKS)) {
    await page.setViewportSize(viewportOf(width))
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
    await page.evaluate(AT_REST)
    await checkFits(page)
    await checkAccessibility(page)
    await takeScreenshot(page, `${name}-${look}`)
  }
}

/** Resolves when the page is redrawn after a resize and its animations have ended. */
const AT_REST = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
  Promise.allSettled(document.getAnimations().flatMap((one) =>
    Number.isFinite(one.effect.getComputedTiming().endTime) ? [one.finished] : [])))
  .then(() => undefined)`
