import { Problem } from '../http/problem.ts'
import { ReferenceNumber } from './members.ts'

/**
 * The reference number in a path.
 *
 * @throws Problem `dataset_not_found`: what cannot be a reference number names no dataset.
 */
export function referenceNumberOf(params: Readonly<Record<string, string>>): string {
  const { success, data } = ReferenceNumber.safeParse(params.referenceNumber)
  if (!success) throw new Problem('dataset_not_found')
  return data
}
