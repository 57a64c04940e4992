import type { CollectionRequest } from '../../db/collections/collections.ts'

/** Bounds of what is kept of headers. */
const MAX_TEXT = 1_000
const MAX_LIST = 20

const BRAND = /"((?:[^"\\]|\\.)*)"\s*;\s*v="([^"]*)"/g

/**
 * Returns what is kept of the headers of a page's request, to compare it with what the page says of itself.
 *
 * @see https://wicg.github.io/ua-client-hints/
 */
export function readRequestHeaders(
  header: (name: string) => string | undefined,
  languages: readonly string[],
): CollectionRequest {
  const text = (name: string) => header(name)?.slice(0, MAX_TEXT)
  const hint = (name: string) => text(name)?.replace(/^"(.*)"$/, '$1')
  const brands = [...(text('sec-ch-ua') ?? '').matchAll(BRAND)]
    .slice(0, MAX_LIST)
    .map(([, brand = '', version = '']) => ({ brand, version }))
  const mobile = text('sec-ch-ua-mobile')
  const hints = present({
    brands: brands.length > 0 ? brands : undefined,
    mobile: mobile === undefined ? undefined : mobile === '?1',
    platform: hint('sec-ch-ua-platform'),
    platformVersion: hint('sec-ch-ua-platform-version'),
    model: hint('sec-ch-ua-model'),
  })
  const known = languages.slice(0, MAX_LIST).map((language) => language.slice(0, MAX_TEXT))
  return present({
    userAgent: text('user-agent'),
    languages: known.length > 0 ? known : undefined,
    clientHints: Object.keys(hints).length > 0 ? hints : undefined,
  })
}

/** Removes members that are undefined. */
const present = <Members extends object>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>
  }
