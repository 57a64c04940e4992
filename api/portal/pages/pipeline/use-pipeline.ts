import { keepPreviousData } from '@tanstack/react-query'
import { queries } from '../../client/api.ts'
import type { components } from '../../client/openapi.d.ts'

export type Pipeline = components['schemas']['Pipeline']
export type PipelineWindow = Pipeline['window']

/** How often each window is asked for again. */
const REFRESH_MS = { hour: 5_000, day: 30_000 } as const

/** While datasets are reprocessed, whose progress is shown. */
const REPROCESSING_MS = 1_000

/** The pipeline as it is, again and again; the window before stays on the page until the other one is there. */
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
