/** Names and paths are cut here, in characters. */
const MAX_CHARACTERS = 200

/**
 * Replaces e-mail addresses, UUIDs and other runs of 32 or more hexadecimal digits, and runs of four or more digits (also with spaces, dots, hyphens or underscores between
 * them) by `{email}`, `{uuid}` and `{digits}`.
 */
export const redact = (text: string): string =>
  text
    .replace(/[^\s/]+(@|%40)[^\s/]+/gi, '{email}')
    .replace(/[\da-f][\da-f-]{31,}/gi, '{uuid}')
    .replace(/\p{Nd}([ ._-]?\p{Nd}){3,}/gu, '{digits}')
    .slice(0, MAX_CHARACTERS)

/** Returns the path of an address or path without origin, parameters, query and hash, redacted. */
export const redactPath = (address: string): string =>
  redact(address.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[;?#].*/s, ''))
