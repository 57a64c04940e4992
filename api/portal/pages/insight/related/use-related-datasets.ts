import { queries } from '../../../client/api.ts'
import type { Dataset, DatasetItem } from '../insight-types.ts'

/** More are not listed here, but by the link to all of them. */
const LIMIT = 100

/** A dataset of the same device or client, or the dataset itself. */
export interface RelatedDataset {
  readonly item: DatasetItem
  readonly sameDevice: boolean
  readonly sameClient: boolean
}

/** The newest datasets of the device and of the client of a dataset, newest first, itself included. */
export function useRelatedDatasets({ deviceId, clientId }: Dataset) {
  const ofDevice = queries.useQuery(
    'get',
    '/api/datasets/v1',
    { params: { query: { deviceId: deviceId ?? '', limit: LIMIT } } },
    { enabled: deviceId !== null },
  )
  const ofClient = queries.useQuery(
    'get',
    '/api/datasets/v1',
    { params: { query: { clientId: clientId ?? '', limit: LIMIT } } },
    { enabled: clientId !== null },
  )
  const byReference = new Map<string, RelatedDataset>()
  for (const item of ofDevice.data?.items ?? [])
    byReference.set(item.referenceNumber, { item, sameDevice: true, sameClient: false })
  for (const item of ofClient.data?.items ?? []) {
    const sameDevice = byReference.has(item.referenceNumber)
    byReference.set(item.referenceNumber, { item, sameDevice, sameClient: true })
  }
  const wanted = [...(deviceId === null ? [] : [ofDevice]), ...(clientId === null ? [] : [ofClient])]
  return {
    neighbours: [...byReference.values()].sort((a, b) => (a.item.uploadedAt < b.item.uploadedAt ? 1 : -1)),
    isPending: wanted.some((query) => query.isPending),
    error: wanted.find((query) => query.error)?.error,
    hasMore: wanted.some((query) => query.data?.next != null),
    refetch: () => Promise.all(wanted.map((query) => query.refetch())),
  }
}
