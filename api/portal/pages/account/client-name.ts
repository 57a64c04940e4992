/** The first match counts: a browser's User-Agent also contains tokens of those below it. */
const BROWSERS: readonly [name: string, token: RegExp][] = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Headless)?(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
]

const SYSTEMS: readonly [name: string, token: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]

const nameIn = (list: typeof BROWSERS, text: string) => list.find(([, token]) => token.test(text))?.[0]

/** Browser and system of a `User-Agent`, as in "Firefox on Windows"; for other programs, their own name. */
export function clientName(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown program'
  const browser = nameIn(BROWSERS, userAgent)
  const system = nameIn(SYSTEMS, userAgent)
  if (browser === undefined) return userAgent.split(/[\s/]/)[0]?.slice(0, 40) || 'Unknown program'
  return system === undefined ? browser : `${browser} on ${system}`
}
