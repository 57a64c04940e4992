import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PROJECT } from '../start-process.ts'
import { type Look, viewportOf } from './open-portal.ts'

/** Nothing on the page as it is keeps people from using it, as far as a program can tell. @see WCAG 2.2, levels A and AA */
export async function checkAccessibility(page: Page): Promise<void> {
  // a document that was looked at before has the program already, and it is large
  const isThere = (await page.evaluate('typeof axe')) === 'object'
  const { violations } = await new AxeBuilder({ page, ...(isThere && { axeSource: 'axe.version' }) })
    .options({ resultTypes: ['violations'] })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .setLegacyMode() // without a page of its own to put frames together in: there are none
    .analyze()
  const told = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((n) => n.html).join('\n  ')}`,
  )
  expect(told).toEqual([])
}

/** Nothing is wider than the screen. */
export async function checkFits(page: Page): Promise<void> {
  const beyond = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  expect(beyond, 'pixels beyond the screen').toBeLessThanOrEqual(0)
}

/**
 * Stores a picture of the page for people to look at: test/screenshots/NAME.png. Only where SCREENSHOTS is set, as in
 * `.ci/run`: no test depends on it, and it takes processor time that others wait for.
 */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  const directory = join(PROJECT, 'test/screenshots')
  await mkdir(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true })
}

/** Where people look at a page, beside a laptop in the light. */
const LOOKS = {
  dark: { dark: true },
  phone: { width: 'phone' },
  'phone-dark': { width: 'phone', dark: true },
} as const satisfies Record<string, Look>

/**
 * The page as it is fits, can be used and is pictured in each look: NAME-dark, NAME-phone, NAME-phone-dark. It is left on
 * a phone in the dark.
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

/** What depends on the size is drawn anew by then, and what moves to its place is there. */
const AT_REST = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
  Promise.allSettled(document.getAnimations().flatMap((one) =>
    Number.isFinite(one.effect.getComputedTiming().endTime) ? [one.finished] : [])))
  .then(() => undefined)`
