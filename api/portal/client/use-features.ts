import { queries } from './api.ts'

/** The features by name; empty until they are loaded. They change only with a new version of the service. */
export function useFeatures() {
  const { data } = queries.useQuery('get', '/features', {}, { staleTime: Number.POSITIVE_INFINITY })
  return new Map(data?.features.map((feature) => [feature.name, feature]))
}
