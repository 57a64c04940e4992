/**
 * Decodes base64 in the standard or the URL alphabet, padding optional, white space ignored; returns undefined for any
 * other text.
 *
 * Decodes first and then compares lengths: Node's decoder skips characters outside the alphabet, so a correct length
 * means that none was skipped. A regular expression over the text would cost several times the decoding.
 *
 * @see RFC 4648, sections 4 and 5
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = decodeCompactBase64(text)
  if (bytes) return bytes
  const compact = text.replace(/\s+/g, '')
  return compact.length !== text.length ? decodeCompactBase64(compact) : undefined
}

/** As `decodeBase64`, without white space: whatever else a text contains, it is not decoded. */
export function decodeCompactBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return isWhole(text, bytes.length) ? bytes : undefined
}

/** Whether the decoded length shows that no character of the text was skipped. */
function isWhole(text: string, byteLength: number): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  if (digits === 0 || digits % 4 === 1) return false
  if (padding > 0 && (digits + padding) % 4 !== 0) return false
  return byteLength === Math.floor((digits * 3) / 4)
}
