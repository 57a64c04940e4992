import puppeteer, { type Browser } from 'puppeteer-core'
import { findProgram } from '../find-program.ts'

/** Returns the path of Firefox: `FIREFOX_PATH`, or the first on the PATH; undefined if there is none. */
export const findFirefox = (): string | undefined =>
  process.env.FIREFOX_PATH ?? findProgram(['firefox-esr', 'firefox'])

let browser: Promise<Browser> | undefined

/** Returns the Firefox of this Vitest worker, which ends with the worker. */
export function openFirefox(): Promise<Browser> {
  browser ??= puppeteer.launch({
    browser: 'firefox',
    executablePath: findFirefox() ?? '',
  })
  return browser
}
