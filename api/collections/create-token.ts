import { z } from 'zod'
import { NewReferenceNumber, UploadInfo } from '../datasets/members.ts'
import { endpoint } from '../http/endpoint.ts'
import { presentTimestamp, Timestamp } from '../http/timestamp.ts'
import { type CollectionTokens, MAX_TOKEN_MINUTES } from './collection-tokens.ts'

/** A token is a member of a request of 64 KiB, beside segments. */
const MAX_INFO_BYTES = 8 * 1024

const isOrigin = (value: string): boolean => URL.canParse(value) && new URL(value).origin === value

const TokenRequest = z
  .object({
    referenceNumber: NewReferenceNumber,
    origin: z
      .string()
      .max(500)
      .refine(isOrigin, 'must be an origin as browsers send it, such as https://shop.example')
      .meta({ description: 'Origin of the page that may use the token', examples: ['https://shop.example'] }),
    additionalInfo: UploadInfo.refine(
      (info) => Buffer.byteLength(JSON.stringify(info)) <= MAX_INFO_BYTES,
      `must have at most ${MAX_INFO_BYTES} bytes as JSON`,
    ).optional(),
    expiresInMinutes: z
      .int()
      .min(1)
      .max(MAX_TOKEN_MINUTES)
      .default(60)
      .meta({ description: 'Validity of the token in minutes' }),
  })
  .meta({ id: 'CollectionTokenRequest' })

const CollectionToken = z
  .object({
    token: z.string().meta({
      description: 'Token to give to the page',
      examples: ['eyJhbGciOiJFZERTQSJ9.eyJzdWIi.c2lnbmF0dXJl'],
    }),
    expiresAt: Timestamp.meta({ description: 'Until when a collection can be opened with it; UTC' }),
  })
  .meta({ id: 'CollectionToken' })

export const tokenCreation = (collectionTokens: CollectionTokens) =>
  endpoint({
    method: 'post',
    path: '/api/collections/v1/tokens',
    operationId: 'createCollectionToken',
    idempotency: 'not_idempotent',
    tag: 'Collections',
    summary: 'Creates a token with which a page opens one collection',
    description:
      'For site keys of level verified: the backend vouches for the reference number. The page can read what the token holds, ' +
      'Additional Info included; attach by number what its visitor must not see.',
    credential: { kind: 'key', scope: 'datasets:write' },
    body: TokenRequest,
    response: { status: 200, description: 'The token', schema: CollectionToken },
    problems: [],
    async act({ caller, body: { referenceNumber, origin, additionalInfo = {}, expiresInMinutes } }) {
      const { subscriptionId } = caller
      const claims = { subscriptionId, referenceNumber, origin, additionalInfo }
      const { token, expiresAt } = await collectionTokens.issue(claims, expiresInMinutes)
      return { token, expiresAt: presentTimestamp(expiresAt) }
    },
  })
