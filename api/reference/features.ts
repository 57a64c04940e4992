import { z } from 'zod'
import { PLATFORMS } from '../../db/capture.ts'
import { FEATURES } from '../../db/features.ts'
import { endpoint } from '../http/endpoint.ts'

const FeatureList = z
  .object({
    features: z.array(
      z.object({
        name: z.string(),
        type: z.enum(['number', 'boolean', 'category']),
        unit: z.string().optional().meta({ description: 'Of a number' }),
        description: z.string(),
        source: z.string().meta({ description: 'The part of a dataset that it is computed from' }),
        platforms: z.array(z.enum(PLATFORMS)),
      }),
    ),
  })
  .meta({ id: 'FeatureList' })

export const features = () => {
  const list = { features: Object.entries(FEATURES).map(([name, definition]) => ({ name, ...definition })) }
  return endpoint({
    method: 'get',
    path: '/features',
    operationId: 'listFeatures',
    tag: 'Reference',
    summary: 'List the features that scorecards can use',
    credential: { kind: 'none' },
    answer: { status: 200, description: 'Every feature', schema: FeatureList },
    problems: [],
    async act() {
      return list
    },
  })
}
