import { keepPreviousData } from '@tanstack/react-query'
import { queries } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'

export type Pipeline = components['schemas']['Pipeline']
export type PipelineWindow = Pipeline['window']

/** Refresh interval of each window. */
const REFRESH_MS = { hour: 5_000, day: 30_000 } as const

/** Refresh interval while the progress of a reprocessing is shown. */
const REPROCESSING_MS = 1_000

/** Polls the pipeline's metrics; the previous window stays visible until the new one is loaded. */
export const usePipeline = (window: PipelineWindow) =>
  queries.useQuery(
    'get',
    '/api/pipeline/v1',
    { params: { query: { window } } },
    {
      refetchInterval: ({ state }) => (state.data?.waiting.again ? REPROCESSING_MS : REFRESH_MS[window]),
      placeholderData: keepPreviousData,
    },
  )
