import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

/** Returns the path of the browser: `CHROMIUM_PATH`, or the first on the PATH. @throws if there is none. */
export function findChromium(): string {
  const { CHROMIUM_PATH, PATH = '' } = process.env
  const candidates = CHROMIUM_PATH
    ? [CHROMIUM_PATH]
    : PATH.split(delimiter).flatMap((directory) => NAMES.map((name) => join(directory, name)))
  const found = candidates.find(isProgram)
  if (found !== undefined) return found
  throw new Error(
    'The tests in a browser need Chromium on the PATH or its path in CHROMIUM_PATH; on Debian: apt-get install chromium',
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
