import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import type { Admission } from '../http/admission.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { text } from '../http/text.ts'
import { Timestamp } from '../http/timestamp.ts'
import type { Limiter } from '../limits/limiter.ts'
import { withReservation } from '../limits/with-reservation.ts'
import { CAPTURE_EXAMPLES } from '../reference/capture-examples.ts'
import type { Intake } from './intake.ts'
import { NewReferenceNumber, ReferenceNumber, UploadInfo } from './members.ts'
import { parseUpload, UploadedData } from './parse-upload.ts'
import type { SaveInfo } from './save-info.ts'

/** @see the interface document, "Dataset" */
export const UploadRequest = z
  .object({
    referenceNumber: NewReferenceNumber,
    data: z
      .custom<string | UploadedData>(
        (data) => typeof data === 'string' || data instanceof UploadedData,
        'must be a string',
      )
      .meta({
        type: 'string',
        description:
          'The capture collected by the SDK, gzipped and base64-encoded; see /schemas/capture-1.json and its examples. Standard ' +
          'or URL alphabet, with or without padding; white space is ignored',
        minLength: 2,
        pattern: '^\\s*[\\w+/-][\\w+/\\s-]+={0,2}\\s*$',
        examples: [gzipSync(JSON.stringify(CAPTURE_EXAMPLES.android), { level: 9 }).toString('base64')],
      })
      .transform((data, context) => {
        const decoded = typeof data === 'string' ? UploadedData.ofText(data) : data
        if (decoded) return decoded
        context.addIssue({ code: 'custom', message: 'must be base64 in the standard or the URL alphabet' })
        return z.NEVER
      }),
    realIp: text(0, 1_000)
      .optional()
      .meta({
        description: 'IP address of the end user; any other text is stored as sent',
        examples: ['203.0.113.7'],
      }),
    additionalInfo: UploadInfo.optional(),
  })
  .meta({ id: 'UploadRequest' })

const Receipt = z
  .object({
    referenceNumber: ReferenceNumber,
    uploadDate: Timestamp.meta({ description: 'When the dataset was first uploaded; UTC' }),
  })
  .meta({ id: 'UploadReceipt' })

export const upload = ({
  intake,
  saveInfo,
  limiter,
  admission,
}: {
  intake: Intake
  saveInfo: SaveInfo
  limiter: Pick<Limiter, 'reserve'>
  admission: Admission
}) =>
  endpoint({
    method: 'post',
    path: '/api/datasets/v1/upload',
    operationId: 'uploadDataset',
    idempotency: 'idempotent',
    tag: 'Getting started',
    summary: 'Uploads a dataset',
    description:
      'A 200 response means that the dataset is durable. Safe to retry: the same referenceNumber with the same data returns 200 with the first uploadDate.',
    credential: { kind: 'key', scope: 'datasets:write' },
    admission,
    isStoring: true,
    body: UploadRequest,
    parseJson: parseUpload,
    response: { status: 200, description: 'The dataset is stored and will be processed', schema: Receipt },
    problems: ['reference_number_taken', 'additional_info_conflict', 'dataset_deleted', 'overloaded'],
    async act({ caller, actor, body, forwardedAddress }) {
      const { subscriptionId } = caller
      const { referenceNumber, additionalInfo } = body
      const uploaded = {
        subscriptionId,
        referenceNumber,
        dataHash: body.data.hash,
        blob: body.data.blob,
        realIp: body.realIp ?? forwardedAddress ?? null,
        additionalInfo: additionalInfo ?? {},
      }
      const reserved = limiter.reserve(caller, uploaded.blob.length)
      const receipt = await withReservation(
        reserved,
        (isLimited) => (isLimited ? intake.find(uploaded) : intake.add(uploaded)),
        (result) => result?.outcome === 'received',
      )
      if (!receipt) throw reserved // a repeated upload has a receipt also beyond the limits
      if (receipt.outcome === 'taken') throw new Problem('reference_number_taken')
      if (receipt.outcome === 'deleted') throw new Problem('dataset_deleted')
      if (receipt.outcome === 'repeated' && additionalInfo && Object.keys(additionalInfo).length > 0)
        await saveInfo(subscriptionId, referenceNumber, additionalInfo, actor)
      return { referenceNumber, uploadDate: receipt.uploadDate }
    },
  })
