import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import puppeteer, { type Browser } from 'puppeteer-core'

const NAMES = ['firefox-esr', 'firefox']

/** Returns the path of Firefox: `FIREFOX_PATH`, or the first on the PATH; undefined if there is none. */
export function findFirefox(): string | undefined {
  const { FIREFOX_PATH, PATH = '' } = process.env
  const candidates = FIREFOX_PATH
    ? [FIREFOX_PATH]
    : PATH.split(delimiter).flatMap((directory) => NAMES.map((name) => join(directory, name)))
  return candidates.find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Settings that automation changes, as users have them. */
const AS_USERS_HAVE = { 'fission.bfcacheInParent': true, 'fission.webContentIsolationStrategy': 1 }

let browser: Promise<Browser> | undefined

/** Returns the Firefox of this Vitest worker, which ends with the worker. */
export function openFirefox(): Promise<Browser> {
  browser ??= puppeteer.launch({
    browser: 'firefox',
    executablePath: findFirefox() ?? '',
    extraPrefsFirefox: AS_USERS_HAVE,
  })
  return browser
}
