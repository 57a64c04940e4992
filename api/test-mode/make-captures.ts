import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { PLATFORMS } from '../../db/capture/capture.ts'
import type { Intake } from '../datasets/intake.ts'
import { NewReferenceNumber, ReferenceNumber } from '../datasets/members.ts'
import { UploadedData } from '../datasets/parse-upload.ts'
import type { Admission } from '../http/admission.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import type { Limiter, Reservation } from '../limits/limiter.ts'
import { type MadeUpload, makeUploads, OUTCOMES, type Outcome } from './outcomes.ts'

const MAX_COUNT = 100

/** Datasets of a ring, unless a count is sent. */
const RING_COUNT = 5

/** Seconds after which a slow dataset begins to be processed. */
const SLOW_SECONDS = 10

const MadeCaptures = z
  .object({
    platform: z.enum(PLATFORMS).meta({ description: 'Platform of the captures', examples: ['android'] }),
    outcome: z
      .enum(OUTCOMES)
      .default('ready')
      .meta({
        description:
          'ready: has an insight soon after. invalid: the data cannot be decoded, for one of several reasons. ' +
          `slow: waits ${SLOW_SECONDS} s before it is processed. no_score: the scorecard test_mode has no score. ` +
          'ring: the datasets have one device and a clientId each, which velocity counts',
        examples: ['ready'],
      }),
    count: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(MAX_COUNT, `must be at most ${MAX_COUNT}`)
      .exactOptional()
      .meta({ description: `Datasets to make; 1 by default, ${RING_COUNT} of a ring`, examples: [1] }),
    referenceNumber: NewReferenceNumber.exactOptional().meta({
      description: 'Reference number of a single dataset; made up by default',
      examples: ['LN-2026-000123'],
    }),
  })
  .superRefine(({ referenceNumber, outcome, count = countOf(outcome) }, context) => {
    if (referenceNumber !== undefined && count !== 1)
      context.addIssue({
        code: 'custom',
        message: 'must be left out unless count is 1',
        path: ['referenceNumber'],
      })
  })
  .meta({ id: 'MadeCaptures' })

const countOf = (outcome: Outcome): number => (outcome === 'ring' ? RING_COUNT : 1)

const Made = z
  .object({
    referenceNumbers: z
      .array(ReferenceNumber)
      .meta({ description: 'Reference numbers of the datasets', examples: [['test-ready-Zq3hT0cWxk2v']] }),
  })
  .meta({ id: 'MadeDatasets' })

/** Makes up captures in the test mode, so that an integration can be built without a phone. */
export const makeCaptures = ({
  intake,
  limiter,
  admission,
}: {
  intake: Pick<Intake, 'add' | 'addLater'>
  limiter: Pick<Limiter, 'reserve'>
  admission: Admission
}) =>
  endpoint({
    method: 'post',
    path: '/api/test/v1/captures',
    operationId: 'makeCaptures',
    idempotency: 'not_idempotent',
    tag: 'Test mode',
    summary: 'Makes up captures and stores their datasets',
    description:
      'Only in test mode: a live key gets 403, and a login acts in the test mode of its subscription. The datasets are ' +
      'processed as uploads are, and deleted after 7 days.',
    credential: { kind: 'either', scope: 'datasets:write', roles: ['admin', 'analyst'] },
    admission,
    isStoring: true,
    body: MadeCaptures,
    response: { status: 200, description: 'The datasets are stored and will be processed', schema: Made },
    problems: ['reference_number_taken', 'dataset_deleted', 'rate_limited', 'overloaded'],
    async act({ caller, body: { platform, outcome, count = countOf(outcome), referenceNumber } }) {
      const reservations = reserveAll(limiter, caller, makeUploads({ platform, outcome, count }, Date.now()))
      const store = async ({ upload, reservation }: Reserved): Promise<string> => {
        const name = referenceNumber ?? `test-${outcome}-${randomBytes(9).toString('base64url')}`
        const data = UploadedData.ofText(upload.blob.toString('base64'))
        if (!data) throw new Error('Base64 was not decoded')
        const uploaded = {
          ...{ subscriptionId: caller.subscriptionId, referenceNumber: name, realIp: null },
          ...{ dataHash: data.hash, blob: data.blob, additionalInfo: upload.additionalInfo },
        }
        const receipt = await (outcome === 'slow'
          ? intake.addLater(uploaded, SLOW_SECONDS)
          : intake.add(uploaded))
        if (receipt.outcome === 'deleted') throw new Problem('dataset_deleted')
        if (receipt.outcome === 'taken') throw new Problem('reference_number_taken')
        reservation.keep()
        return name
      }
      try {
        return { referenceNumbers: await Promise.all(reservations.map(store)) }
      } finally {
        for (const { reservation } of reservations) reservation.release()
      }
    },
  })

interface Reserved {
  readonly upload: MadeUpload
  readonly reservation: Reservation
}

/** Reserves all uploads. @throws Problem `rate_limited`, and reserves none, if they exceed a limit. */
function reserveAll(
  limiter: Pick<Limiter, 'reserve'>,
  owner: { readonly subscriptionId: number; readonly keyId?: number },
  uploads: readonly MadeUpload[],
): Reserved[] {
  const reserved: Reserved[] = []
  for (const upload of uploads) {
    const reservation = limiter.reserve(owner, upload.blob.length)
    if (reservation instanceof Problem) {
      for (const earlier of reserved) earlier.reservation.release()
      throw reservation
    }
    reserved.push({ upload, reservation })
  }
  return reserved
}
