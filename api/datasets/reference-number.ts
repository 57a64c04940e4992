import { Problem } from '../http/problem.ts'
import { ReferenceNumber } from './members.ts'

/** Path parameter with a reference number. */
export const REFERENCE_NUMBER_PARAM = {
  referenceNumber: ReferenceNumber.meta({ description: 'Reference number of the dataset, percent-encoded' }),
}

/**
 * Returns the reference number in a path.
 *
 * @throws Problem `dataset_not_found` for an invalid one.
 */
export function requireReferenceNumber(params: Readonly<Record<string, string>>): string {
  const { success, data } = ReferenceNumber.safeParse(params.referenceNumber)
  if (!success) throw new Problem('dataset_not_found')
  return data
}
