import { z } from 'zod'
import { PERSON_KINDS, type Person } from '../../db/privacy/person.ts'
import { ActorKind } from '../audit/actor-schemas.ts'
import { text } from '../http/text.ts'
import { Timestamp } from '../http/timestamp.ts'

/** A person, named by exactly one identifier. */
export const PersonBody = z
  .object({
    clientId: text(1, 1_000)
      .optional()
      .meta({ description: 'clientId in the Additional Info; compared exactly', examples: ['C-1042'] }),
    deviceId: text(1, 1_000).optional().meta({
      description:
        'Identifier of the device in the captures; compared exactly. Send it or clientId, not both',
    }),
  })
  .superRefine(({ clientId, deviceId }, context) => {
    if ((clientId === undefined) === (deviceId === undefined))
      context.addIssue({
        code: 'custom',
        message: 'must be sent without deviceId, or left out and deviceId sent',
        path: ['clientId'],
      })
  })
  .meta({ id: 'Person' })

/** The person that a body names. */
export const personOf = ({ clientId, deviceId }: z.output<typeof PersonBody>): Person =>
  clientId !== undefined ? { kind: 'client', id: clientId } : { kind: 'device', id: deviceId ?? '' }

const PersonHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({
    description:
      'Keyed hash of the identifier, by which requests and the audit log name the person: the same for the same identifier in your subscription',
    examples: ['9f3a1c64d1be7a5f0c2d8e9b4a7d6c5e1f0b2a3948576e6d7c8b9a0f1e2d3c4b'],
  })

const count = (description: string, example: number) => z.int().meta({ description, examples: [example] })

/** A request to export or erase what is stored of a person. */
export const PrivacyRequestItem = z
  .object({
    id: z
      .uuid()
      .meta({ description: 'Id of the request', examples: ['7b0f3c1e-52a4-4d0b-9d0a-0c8f3f6f7a11'] }),
    kind: z.enum(['export', 'erase']).meta({ description: 'What was requested', examples: ['erase'] }),
    personKind: z.enum(PERSON_KINDS).meta({ description: 'Kind of the identifier', examples: ['client'] }),
    personHash: PersonHash,
    state: z
      .enum(['running', 'finished', 'failed'])
      .meta({ description: 'failed: an export that broke off', examples: ['running'] }),
    waiting: z.boolean().meta({
      description: 'Whether an erasure waits for datasets that are still being processed',
      examples: [false],
    }),
    total: count('Datasets that were found at the request', 12),
    datasets: count('Datasets that are exported or erased', 4),
    collections: count('Unfinished captures of browsers that are exported or erased', 0),
    requestedAt: Timestamp.meta({ description: 'Time of the request; UTC' }),
    finishedAt: Timestamp.nullable().meta({
      description: 'When it was finished; UTC; null while it runs',
      examples: [null],
    }),
    actor: z.string().meta({
      description: 'E-mail of the user, or operator and an account name',
      examples: ['ann@lender.example'],
    }),
    actorKind: ActorKind.meta({ description: 'Kind of the actor', examples: ['user'] }),
    actorId: z
      .int()
      .nullable()
      .meta({ description: 'Id of the user', examples: [7] }),
  })
  .meta({ id: 'PrivacyRequest' })

export const PrivacyRequestList = z
  .object({
    items: z
      .array(PrivacyRequestItem)
      .meta({ description: 'The newest requests, the newest first, at most 200' }),
  })
  .meta({ id: 'PrivacyRequestList' })

/** What is stored of a person, as counts. */
export const PersonSummaryItem = z
  .object({
    personHash: PersonHash,
    datasets: count('Datasets', 12),
    truncated: z.boolean().meta({
      description: 'Whether there are more than the 10,000 datasets that were counted',
      examples: [false],
    }),
    captures: count('Datasets whose capture is stored', 9),
    insights: count('Datasets with an insight', 12),
    waiting: count('Datasets that wait to be processed', 0),
    reads: count('Recorded reads of the insights', 31),
    collections: count('Captures that browsers send at present', 0),
    firstUploadAt: Timestamp.nullable().meta({
      description: 'Upload of the oldest dataset; null without any',
    }),
    lastUploadAt: Timestamp.nullable().meta({
      description: 'Upload of the newest dataset; null without any',
    }),
    velocity: z
      .object({
        datasets: count('Datasets that were counted, deleted ones as well', 14),
        others: count('Devices of a client, or clients of a device', 2),
      })
      .nullable()
      .meta({ description: 'Velocity counts of the identifier; null if it has none' }),
    requests: z
      .array(PrivacyRequestItem)
      .meta({ description: 'Earlier requests about the person, the newest first' }),
  })
  .meta({ id: 'PersonSummary' })

const FOREVER = 'forever'

const days = (description: string, examples: (number | string)[]) =>
  z
    .union(
      [z.int().min(1).max(99_999), z.literal(FOREVER)],
      `must be whole days from 1 to 99999, or ${FOREVER}`,
    )
    .meta({ description, examples })

const members = {
  datasetDays: days('Days after its upload when a whole dataset is deleted, with its insight; or forever', [
    'forever',
  ]),
  captureDays: days(
    'Days after its upload when the capture of a dataset is removed, and the insight stays; or forever. 730 unless it was changed',
    [730],
  ),
}

export const RetentionItem = z
  .object({
    ...members,
    capturesFrom: Timestamp.nullable().meta({
      description:
        'When captures begin to be removed, of a subscription that is older than the default retention and has chosen none; UTC; null: now',
      examples: [null],
    }),
  })
  .meta({ id: 'Retention' })

/** A change of the retention; indefinite storage has to be asked for in words. */
export const RetentionChange = z
  .object({ datasetDays: members.datasetDays.optional(), captureDays: members.captureDays.optional() })
  .meta({ id: 'RetentionChange' })

/** Days of storage as the API says them. */
export const sayDays = (stored: number | null): number | typeof FOREVER => stored ?? FOREVER

/** Days as they are stored; undefined stays as it is. */
export const storedDays = (said: number | typeof FOREVER | undefined): number | null | undefined =>
  said === FOREVER ? null : said
