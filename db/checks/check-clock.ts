import type { Finding } from './finding.ts'

/** Clocks that are kept by NTP differ by milliseconds. */
const WARNING_MS = 2_000

/** A code of an authenticator app is valid for 30 s. */
const ERROR_MS = 30_000

/**
 * Returns the smallest possible difference between another clock and this machine's, in milliseconds: positive if the other one is ahead, negative
 * if it is behind, and 0 if both may show the same time.
 *
 * @param now the other clock, read between `askedAt` and `answeredAt`.
 */
export function clockDifference(now: number, askedAt: number, answeredAt: number): number {
  if (now < askedAt) return Math.round(now - askedAt)
  return now > answeredAt ? Math.round(now - answeredAt) : 0
}

/** @param owner of the other clock, such as `Postgres`. @param aheadMs see `clockDifference`. */
export function checkClock(owner: string, aheadMs: number): Finding[] {
  const differenceMs = Math.abs(aheadMs)
  if (differenceMs < WARNING_MS) return []
  const seconds = (differenceMs / 1_000).toFixed(1)
  return [
    {
      level: differenceMs >= ERROR_MS ? 'error' : 'warning',
      message: `The clock of ${owner} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of this machine: tokens, codes of authenticator apps and times of records depend on both`,
      remedy:
        'Synchronise both machines by NTP: timedatectl set-ntp true, then timedatectl must print "System clock synchronized: yes"',
    },
  ]
}
