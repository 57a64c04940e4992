import { z } from 'zod'
import { endpoint, nameOfKey } from '../http/endpoint.ts'
import { AdditionalInfo, EXAMPLE_INFO, ReferenceNumber } from './members.ts'
import type { SaveInfo } from './save-info.ts'

const InfoRequest = z
  .object({ referenceNumber: ReferenceNumber, additionalInfo: AdditionalInfo })
  .meta({ id: 'InfoRequest' })

const SavedInfo = z
  .object({
    referenceNumber: ReferenceNumber,
    additionalInfo: z
      .record(z.string(), z.string())
      .meta({ description: 'All that is saved for the dataset', examples: [EXAMPLE_INFO] }),
  })
  .meta({ id: 'SavedInfo' })

export const additionalInfo = (saveInfo: SaveInfo) =>
  endpoint({
    method: 'post',
    path: '/api/datasets/v1/additionalinfo',
    operationId: 'assignAdditionalInfo',
    tag: 'Getting started',
    summary: 'Attach key-value pairs to a dataset',
    description:
      'May be called several times. A saved key keeps its value: sent with another one, the whole call saves nothing. ' +
      'New keys start a new calculation of the insight: from the data, or, once retention has removed the data, from the ' +
      'features that were kept.',
    credential: { kind: 'key', role: 'uploader' },
    body: InfoRequest,
    response: { status: 200, description: 'Saved', schema: SavedInfo },
    problems: ['dataset_not_found', 'dataset_deleted', 'additional_info_conflict'],
    async act({ caller, body: { referenceNumber, additionalInfo } }) {
      return {
        referenceNumber,
        additionalInfo: await saveInfo(
          caller.subscriptionId,
          referenceNumber,
          additionalInfo,
          nameOfKey(caller),
        ),
      }
    },
  })
