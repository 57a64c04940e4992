import type { S3Client } from '@aws-sdk/client-s3'
import { ObjectStoreError } from '../encryption/object-store-error.ts'
import type { CaptureStoreLocation } from './capture-store-url.ts'
import { type ObjectKey, writeKey } from './object-keys.ts'

/** Objects in a store with the API of S3. @throws ObjectStoreError from each of its methods. */
export interface ObjectStore {
  /** Whether new captures are written to it. */
  readonly isWritten: boolean
  /** Resolves once the store has the object. */
  write(key: ObjectKey, content: Buffer): Promise<void>
  read(key: ObjectKey): Promise<Buffer>
  /** Removes an object; one that is missing is no error. */
  remove(key: ObjectKey): Promise<void>
  /** Reads the mark of the database that the bucket belongs to; undefined if there is none. */
  readMark(): Promise<string | undefined>
  writeMark(mark: string): Promise<void>
  /** Lists up to 1,000 names, without the prefix, after `after`, in order, without the mark's. */
  list(after: string): Promise<string[]>
  /** Resolves if the bucket answers. */
  check(): Promise<void>
  close(): void
}

/** Kinds of requests, for metrics. */
export type ObjectOperation = 'write' | 'read' | 'remove' | 'list' | 'check'

/** Called after each request. */
export type OnObjectRequest = (
  operation: ObjectOperation,
  seconds: number,
  outcome: 'done' | 'failed',
) => void

/** Time for one request with its retries: half of what a request of a client may take. */
const REQUEST_MS = 5_000

/** Time for the check of readiness. */
const CHECK_MS = 2_000

/** Attempts, of which the first fails where a pooled connection was closed by the server. */
const ATTEMPTS = 2

const CONNECTIONS = 64

/** The name of the mark after the prefix: behind all days. */
const MARK = 'owner'

/**
 * Opens the store. Credentials are those of the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`), of a profile,
 * or of the machine's role, in the order of the AWS SDK. The SDK is loaded here, since it takes 0.2 to 0.5 s.
 */
export async function openObjectStore(
  { bucket, prefix, endpoint, region, isWritten }: CaptureStoreLocation,
  onRequest: OnObjectRequest = () => undefined,
): Promise<ObjectStore> {
  const s3 = await import('@aws-sdk/client-s3')
  const client: S3Client = new s3.S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    maxAttempts: ATTEMPTS,
    // checksums in trailers are an extension that other servers do not know
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS },
    },
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  })
  const named = (key: ObjectKey) => ({ Bucket: bucket, Key: prefix + writeKey(key) })
  const mark = { Bucket: bucket, Key: prefix + MARK }

  async function request<T>(
    operation: ObjectOperation,
    work: (options: { abortSignal: AbortSignal }) => Promise<T>,
    ms = REQUEST_MS,
  ): Promise<T> {
    const startedAt = performance.now()
    const seconds = () => (performance.now() - startedAt) / 1_000
    try {
      const result = await work({ abortSignal: AbortSignal.timeout(ms) })
      onRequest(operation, seconds(), 'done')
      return result
    } catch (cause) {
      const isMissing = cause instanceof s3.NoSuchKey
      onRequest(operation, seconds(), isMissing ? 'done' : 'failed')
      const fault = isMissing ? 'has no such capture' : 'is unavailable'
      throw new ObjectStoreError(`Object storage ${fault} (${operation})`, { isMissing, cause })
    }
  }

  return {
    isWritten,
    async write(key, content) {
      const command = new s3.PutObjectCommand({
        ...named(key),
        Body: content,
        ContentLength: content.length,
        ContentType: 'application/octet-stream',
      })
      await request('write', (options) => client.send(command, options))
    },
    read: (key) =>
      request('read', async (options) => {
        const { Body } = await client.send(new s3.GetObjectCommand(named(key)), options)
        return Buffer.from((await Body?.transformToByteArray()) ?? [])
      }),
    async remove(key) {
      await request('remove', (options) => client.send(new s3.DeleteObjectCommand(named(key)), options))
    },
    async readMark() {
      try {
        return await request('read', async (options) => {
          const { Body } = await client.send(new s3.GetObjectCommand(mark), options)
          return await Body?.transformToString()
        })
      } catch (error) {
        if (error instanceof ObjectStoreError && error.isMissing) return undefined
        throw error
      }
    },
    async writeMark(text) {
      const command = new s3.PutObjectCommand({ ...mark, Body: text, ContentType: 'text/plain' })
      await request('write', (options) => client.send(command, options))
    },
    list: (after) =>
      request('list', async (options) => {
        const command = new s3.ListObjectsV2Command({
          ...{ Bucket: bucket, Prefix: prefix, MaxKeys: 1_000 },
          ...(after !== '' && { StartAfter: prefix + after }),
        })
        const { Contents = [] } = await client.send(command, options)
        return Contents.map(({ Key = '' }) => Key.slice(prefix.length)).filter((name) => name !== MARK)
      }),
    async check() {
      const command = new s3.HeadBucketCommand({ Bucket: bucket })
      await request('check', (options) => client.send(command, options), CHECK_MS)
    },
    close: () => client.destroy(),
  }
}
