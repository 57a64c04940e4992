import { z } from 'zod'
import { PLATFORMS } from '../../db/capture/capture.ts'
import { FEATURES } from '../../db/capture/features.ts'
import { endpoint } from '../http/endpoint.ts'

const FeatureList = z
  .object({
    features: z
      .array(
        z
          .object({
            name: z
              .string()
              .meta({ description: 'Name, as scorecards refer to it', examples: ['device_ram_total_gb'] }),
            type: z.enum(['number', 'boolean', 'category']).meta({ description: 'Type of its values' }),
            unit: z
              .string()
              .optional()
              .meta({ description: 'Unit of a number', examples: ['GB'] }),
            description: z.string().meta({ description: 'What it is', examples: ['Memory of the device'] }),
            source: z.string().meta({
              description: 'The part of a dataset that it is computed from',
              examples: ['device.ramTotalBytes'],
            }),
            platforms: z
              .array(z.enum(PLATFORMS))
              .meta({ description: 'Platforms whose datasets have it', examples: [['android', 'ios']] }),
          })
          .meta({ id: 'Feature' }),
      )
      .meta({ description: 'Every feature, in the order of the registry' }),
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
    response: { status: 200, description: 'Every feature', schema: FeatureList },
    problems: [],
    async act() {
      return list
    },
  })
}
