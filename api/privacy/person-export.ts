import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { z } from 'zod'
import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import {
  beginExport,
  endExport,
  type PersonCall,
  type PrivacyRequest,
} from '../../db/privacy/privacy-requests.ts'
import { openExportSlots } from '../datasets/export-slots.ts'
import { endpoint, Stream } from '../http/endpoint.ts'
import { archivePerson } from './person-archive.ts'
import { PersonBody, personOf } from './privacy-schemas.ts'
import { writeTar } from './write-tar.ts'

/** Timeout of an export: its client stopped reading, or the database is too slow. */
const TIMEOUT_MS = 15 * 60_000

/** Begins the export of a person, and returns its archive as it is read: a gzipped tar. How it ends is recorded with the request. */
export async function openPersonArchive(
  { db, vault }: { db: Db; vault: Vault },
  call: PersonCall,
): Promise<{ request: PrivacyRequest; body: Readable }> {
  const request = await beginExport(db, call)
  const counts = { datasets: 0, collections: 0 }
  const files = archivePerson(db, vault, call, counts)
  const body = createGzip()
  // the end of the archive is sent once the request says that it is finished
  async function* write() {
    yield* writeTar(files, new Date())
    await endExport(db, call.subscriptionId, request.id, { state: 'finished', ...counts })
  }
  pipeline(Readable.from(write(), { objectMode: false }), body, (error) => {
    if (error)
      endExport(db, call.subscriptionId, request.id, { state: 'failed', ...counts }).catch(() => undefined) // it stays running
  })
  return { request, body }
}

export function personExport(stores: { db: Db; vault: Vault }) {
  const slots = openExportSlots()
  return endpoint({
    method: 'post',
    path: '/api/privacy/v1/exports',
    operationId: 'exportPerson',
    idempotency: 'safe',
    tag: 'Privacy',
    summary: 'Exports everything that is stored of a person',
    description:
      'Streams an archive, a gzipped tar (RFC 1952, POSIX ustar), of JSON files with a README that explains each: captures as they were ' +
      'sent, insights, scores with their reasons, Additional Info, timelines, reads, collections and velocity. An archive that breaks ' +
      'off does not end as a gzip does; ask again. A subscription can run two exports at once. Recorded in the audit log, which names the ' +
      'person by a keyed hash.',
    credential: { kind: 'either', scope: 'datasets:read', roles: ['admin'] },
    stepUp: 'with_factor',
    body: PersonBody,
    response: {
      status: 200,
      description: 'The archive',
      type: 'application/gzip',
      schema: z.string().meta({ format: 'binary' }),
      example: 'person-2026-11-20.tar.gz',
      headers: {
        'Content-Disposition': z.string().meta({
          description: 'File name',
          examples: ['attachment; filename="person-2026-11-20.tar.gz"'],
        }),
        'Inkling-Datasets': z.string().meta({
          description: 'Datasets to expect, so that clients can show progress',
          examples: ['12'],
        }),
      },
    },
    problems: ['rate_limited'],
    async act({ caller: { subscriptionId }, actor, body }) {
      const release = slots.take(subscriptionId)
      try {
        const { request, body: archive } = await openPersonArchive(stores, {
          ...{ subscriptionId, person: personOf(body), actor },
        })
        const timer = setTimeout(() => archive.destroy(new Error('The export timed out')), TIMEOUT_MS).unref()
        archive.once('close', () => {
          clearTimeout(timer)
          release()
        })
        return new Stream(archive, {
          'Content-Disposition': `attachment; filename="person-${new Date().toISOString().slice(0, 10)}.tar.gz"`,
          'Inkling-Datasets': String(request.total),
        })
      } catch (error) {
        release()
        throw error
      }
    },
  })
}
