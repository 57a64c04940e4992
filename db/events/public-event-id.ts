const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** As many digits as 128 bits need. */
const LENGTH = 22

/** Returns the id of an event as it is published, `evt_` and its UUID in base 62. It stays the same when the event is delivered again. */
export function publicEventId(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let digits = ''
  while (digits.length < LENGTH) {
    digits = `${DIGITS[Number(rest % 62n)]}${digits}`
    rest /= 62n
  }
  return `evt_${digits}`
}
