const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** Formats a number of bytes with two or three digits, in units of 1,000: `1.2 GB`. */
export function presentBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)))
  const value = bytes / 1_000 ** power
  return `${value.toFixed(power > 0 && value < 10 ? 1 : 0)} ${UNITS[power]}`
}
