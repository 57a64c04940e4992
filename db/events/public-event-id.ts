const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** As many digits as 128 bits need. */
const LENGTH = 22

/** Digits that are taken at a time: as many as an exact number holds, since big integers are slow. */
const PART = { digits: 8, base: 62n ** 8n }

/** Returns the id of an event as it is published, `evt_` and its UUID in base 62. It stays the same when the event is delivered again. */
export function publicEventId(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let digits = ''
  while (digits.length < LENGTH) {
    let part = Number(rest % PART.base)
    rest /= PART.base
    for (let n = 0; n < PART.digits; n++) {
      digits = `${DIGITS[part % 62]}${digits}`
      part = Math.floor(part / 62)
    }
  }
  return `evt_${digits.slice(-LENGTH)}`
}
