/** Announces that an endpoint will be removed. */
export interface Deprecation {
  /** When it was deprecated; yyyy-mm-dd, UTC. */
  readonly since: string
  /** The first day on which it may be removed; yyyy-mm-dd, UTC. At least 12 months after `since`. */
  readonly sunset: string
  /** Path of the endpoint to use instead. */
  readonly successor?: string
}

/** Path of the page that describes the policy and lists deprecated operations. */
const POLICY_PATH = '/docs'

/**
 * Returns the header fields that announce the deprecation to programs.
 *
 * @see RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version)
 */
export function fieldsOfDeprecation({ since, sunset, successor }: Deprecation): Record<string, string> {
  const links = [
    `<${POLICY_PATH}>; rel="deprecation"`,
    ...(successor === undefined ? [] : [`<${successor}>; rel="successor-version"`]),
  ]
  return {
    Deprecation: `@${Date.parse(since) / 1_000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: links.join(', '),
  }
}
