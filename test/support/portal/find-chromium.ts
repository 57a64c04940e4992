import { findProgram, isProgram } from '../find-program.ts'

const WHOLE = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Returns the path of the browser: `CHROMIUM_PATH`, or the first on the PATH. @throws if there is none. */
export function findChromium(): string {
  const { CHROMIUM_PATH } = process.env
  if (CHROMIUM_PATH && isProgram(CHROMIUM_PATH)) return CHROMIUM_PATH
  const found = CHROMIUM_PATH ? undefined : findProgram(['chromium-headless-shell', ...WHOLE])
  if (found !== undefined) return found
  throw new Error(
    'The tests in a browser need Chromium on the PATH or its path in CHROMIUM_PATH; on Debian: apt-get install chromium',
  )
}

/** Returns the path of a Chromium that is not only the headless shell, which lacks the back/forward cache; undefined if there is none. */
export const findWholeChromium = (): string | undefined => findProgram(WHOLE)
