import { z } from 'zod'
import { PLATFORMS } from '../../db/capture/capture.ts'
import { FEATURES } from '../../db/capture/features.ts'
import { marksOf, STORE_EFFECTS, STORES } from '../../db/capture/store-policies.ts'
import { endpoint } from '../http/endpoint.ts'

const StoreMark = z
  .object({
    store: z.enum(STORES).meta({ description: 'Policy of a store, for one kind of application' }),
    rule: z.string().meta({ description: 'Rule of the policy', examples: ['contacts'] }),
    effect: z.enum(STORE_EFFECTS).meta({
      description:
        'forbidden: the data must not be collected; needs_declaration: only after the store has approved a declared ' +
        'exception; limited: as far as reason describes',
    }),
    reason: z.string().meta({
      description: 'What the rule restricts',
      examples: ['Applications for personal loans must not read contacts'],
    }),
    source: z.url().meta({
      description: "Address of the store's policy",
      examples: ['https://support.google.com/googleplay/android-developer/answer/9876821'],
    }),
  })
  .meta({ id: 'StoreMark' })

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
            stores: z
              .array(StoreMark)
              .meta({ description: 'Rules of stores about its data; empty if there are none' }),
          })
          .meta({ id: 'Feature' }),
      )
      .meta({ description: 'All features, in the order of the registry' }),
  })
  .meta({ id: 'FeatureList' })

export const features = () => {
  const list = {
    features: Object.entries(FEATURES).map(([name, definition]) => ({
      name,
      ...definition,
      stores: marksOf(definition),
    })),
  }
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
