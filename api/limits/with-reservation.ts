import { Problem } from '../http/problem.ts'
import type { Reservation } from './limiter.ts'

/**
 * Runs work that may store a dataset, and counts the dataset if the result has it.
 *
 * @param reserved a reservation, or the problem of the limit that is reached: then `work` gets true, and nothing is counted.
 */
export async function withReservation<Result>(
  reserved: Reservation | Problem,
  work: (isLimited: boolean) => Promise<Result>,
  isStored: (result: Result) => boolean,
): Promise<Result> {
  if (reserved instanceof Problem) return work(true)
  try {
    const result = await work(false)
    if (isStored(result)) reserved.keep()
    return result
  } finally {
    reserved.release()
  }
}
