import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
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
      .meta({ description: 'All Additional Info saved for the dataset', examples: [EXAMPLE_INFO] }),
  })
  .meta({ id: 'SavedInfo' })

export const additionalInfo = (saveInfo: SaveInfo) =>
  endpoint({
    method: 'post',
    path: '/api/datasets/v1/additionalinfo',
    operationId: 'assignAdditionalInfo',
    idempotency: 'idempotent',
    tag: 'Getting started',
    summary: 'Attaches key-value pairs to a dataset',
    description:
      'Can be called several times. The value of a saved key cannot change: a request with another value saves nothing. ' +
      'New keys recalculate the insight from the data or, once retention has removed the data, from the stored features.',
    credential: { kind: 'key', scope: 'datasets:write' },
    body: InfoRequest,
    response: { status: 200, description: 'The Additional Info is saved', schema: SavedInfo },
    problems: ['dataset_not_found', 'dataset_deleted', 'additional_info_conflict'],
    async act({ caller, actor, body: { referenceNumber, additionalInfo } }) {
      return {
        referenceNumber,
        additionalInfo: await saveInfo(caller.subscriptionId, referenceNumber, additionalInfo, actor),
      }
    },
  })
