/**
 * Whether an `If-None-Match` names the entity tag, compared weakly. A request's `Cache-Control: no-cache`, which `fetch` adds to conditional
 * requests, is for caches and changes nothing here.
 *
 * @see RFC 9110, sections 8.8.3.2 and 13.1.2
 */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? []
  return tags.includes(etag.replace(/^W\//, ''))
}
