import { api } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import type { DatasetItem } from './dataset-query.ts'

/** Finds the dataset with exactly this reference number, as an item of the list. */
export async function findDatasetItem(
  referenceNumber: string,
  signal?: AbortSignal,
): Promise<DatasetItem | undefined> {
  try {
    const { data } = await api.GET('/api/datasets/v1/{referenceNumber}', {
      params: { path: { referenceNumber } },
      ...(signal && { signal }),
    })
    if (!data) return undefined
    const { additionalInfo, velocity, velocityNow, dataKept, ...item } = data
    return item
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined
    throw error
  }
}
