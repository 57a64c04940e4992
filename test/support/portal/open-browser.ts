import { type Browser, chromium } from 'playwright-core'
import { findChromium } from './find-chromium.ts'

let browser: Promise<Browser> | undefined

/** Returns the browser of this Vitest worker, which ends with the worker. */
export function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: findChromium(),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
      ...['--disable-sync', '--no-first-run'],
      '--process-per-site', // all pages of a profile use one renderer process and its compiled code
    ],
  })
  return browser
}
