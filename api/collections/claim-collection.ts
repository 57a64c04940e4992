import { z } from 'zod'
import { claimCollection } from '../../db/collections/claim-collection.ts'
import { findCollections } from '../../db/collections/collections.ts'
import { sealInfo } from '../../db/encryption/personal-data.ts'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import { NewReferenceNumber, ReferenceNumber, UploadInfo } from '../datasets/members.ts'
import type { SaveInfo } from '../datasets/save-info.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import type { Limiter } from '../limits/limiter.ts'
import { withReservation } from '../limits/with-reservation.ts'
import type { Collecting } from './collecting.ts'
import { CollectionId, CollectionUploadDate } from './collection-schemas.ts'

const ClaimRequest = z
  .object({
    collection: CollectionId,
    referenceNumber: NewReferenceNumber,
    additionalInfo: UploadInfo.optional(),
  })
  .meta({ id: 'ClaimRequest' })

const Claim = z
  .object({ referenceNumber: ReferenceNumber, uploadDate: CollectionUploadDate })
  .meta({ id: 'Claim' })

export const claim = (
  { db, vault, limiter }: { db: Db; vault: Vault; limiter: Pick<Limiter, 'reserve'> },
  saveInfo: SaveInfo,
  collecting: Collecting,
) =>
  endpoint({
    method: 'post',
    path: '/api/collections/v1/claims',
    operationId: 'claimCollection',
    idempotency: 'idempotent',
    tag: 'Collections',
    summary: 'Claims a collection: gives it its reference number',
    description:
      'For site keys of level claimed, once within 24 hours of opening, before or after the page completes the collection. Safe to ' +
      'retry with the same number.',
    credential: { kind: 'key', scope: 'datasets:write' },
    isStoring: true,
    body: ClaimRequest,
    response: { status: 200, description: 'The collection is claimed', schema: Claim },
    problems: ['collection_not_found', 'conflict', 'reference_number_taken', 'additional_info_conflict'],
    async act({ caller, actor, body: { collection: publicId, referenceNumber, additionalInfo = {} } }) {
      const { subscriptionId } = caller
      const [collection] = await findCollections(db, [publicId])
      if (collection?.subscriptionId !== subscriptionId) throw new Problem('collection_not_found')
      const info = await sealInfo(vault, { subscriptionId, name: publicId }, additionalInfo)
      const reserved = limiter.reserve(caller, 0)
      const claimed = await withReservation(
        reserved,
        (isLimited) =>
          claimCollection(db, collection, referenceNumber, info.additionalInfo, info.sealedInfo, isLimited),
        (result) => result.outcome === 'claimed' && result.toEnqueue !== undefined,
      )
      switch (claimed.outcome) {
        case 'limited':
          throw reserved
        case 'unknown':
          throw new Problem('collection_not_found')
        case 'conflict':
          throw new Problem('conflict', { detail: 'The collection has another reference number' })
        case 'taken':
          throw new Problem('reference_number_taken')
        case 'repeated':
          if (Object.keys(additionalInfo).length > 0)
            await saveInfo(subscriptionId, referenceNumber, additionalInfo, actor)
          return { referenceNumber, uploadDate: claimed.uploadDate }
        case 'claimed':
          if (claimed.toEnqueue) collecting.announce(claimed.toEnqueue)
          return { referenceNumber, uploadDate: claimed.uploadDate }
      }
    },
  })
