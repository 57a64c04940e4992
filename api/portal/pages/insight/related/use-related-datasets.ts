import { queries } from '../../../client/api.ts'
import type { Dataset, DatasetItem } from '../insight-types.ts'

/** The section links to a list of all others. */
const LIMIT = 100

/** A dataset of the same device or client; includes the dataset itself. */
export interface RelatedDataset {
  readonly item: DatasetItem
  readonly sameDevice: boolean
  readonly sameClient: boolean
}

/** Loads the newest datasets of a dataset's device and client, itself included, newest first. */
export function useRelatedDatasets({ deviceId, clientId }: Dataset) {
  const byDevice = queries.useQuery(
    'post',
    '/api/datasets/v1/search',
    { body: { deviceId: deviceId ?? '', limit: LIMIT } },
    { enabled: deviceId !== null },
  )
  const byClient = queries.useQuery(
    'post',
    '/api/datasets/v1/search',
    { body: { clientId: clientId ?? '', limit: LIMIT } },
    { enabled: clientId !== null },
  )
  const byReference = new Map<string, RelatedDataset>()
  for (const item of byDevice.data?.items ?? [])
    byReference.set(item.referenceNumber, { item, sameDevice: true, sameClient: false })
  for (const item of byClient.data?.items ?? []) {
    const sameDevice = byReference.has(item.referenceNumber)
    byReference.set(item.referenceNumber, { item, sameDevice, sameClient: true })
  }
  const enabled = [...(deviceId === null ? [] : [byDevice]), ...(clientId === null ? [] : [byClient])]
  return {
    related: [...byReference.values()].sort((a, b) => (a.item.uploadedAt < b.item.uploadedAt ? 1 : -1)),
    isPending: enabled.some((query) => query.isPending),
    error: enabled.find((query) => query.error)?.error,
    hasMore: enabled.some((query) => query.data?.next != null),
    refetch: () => Promise.all(enabled.map((query) => query.refetch())),
  }
}
