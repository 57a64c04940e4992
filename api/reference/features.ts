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
            name: z.string().meta({
              description: 'Name by which scorecards refer to the feature',
              examples: ['device_ram_total_gb'],
            }),
            type: z.enum(['number', 'boolean', 'category']).meta({ description: 'Type of the values' }),
            unit: z
              .string()
              .optional()
              .meta({ description: 'Unit of a number', examples: ['GB'] }),
            description: z
              .string()
              .meta({ description: 'Description of the feature', examples: ['Memory of the device'] }),
            source: z.string().meta({
              description: 'Part of the capture from which it is computed',
              examples: ['device.ramTotalBytes'],
            }),
            platforms: z
              .array(z.enum(PLATFORMS))
              .meta({ description: 'Platforms whose captures have it', examples: [['android', 'ios']] }),
          })
          .meta({ id: 'Feature' }),
      )
      .meta({ description: 'All features, in the order of the registry' }),
  })
  .meta({ id: 'FeatureList' })

export const features = () => {
  const list = { features: Object.entries(FEATURES).map(([name, definition]) => ({ name, ...definition })) }
  return endpoint({
    method: 'get',
    path: '/features',
    operationId: 'listFeatures',
    tag: 'Reference',
    summary: 'Lists the features that scorecards can use',
    credential: { kind: 'none' },
    response: { status: 200, description: 'All features', schema: FeatureList },
    problems: [],
    async act() {
      return list
    },
  })
}
