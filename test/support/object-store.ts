import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findFreePort } from '../../scripts/servers/find-free-port.ts'
import type { ObjectServer } from './object-server.ts'
import { SWIFT_CREDENTIALS, startSwift } from './swift.ts'

export type { ObjectServer }

const require = createRequire(import.meta.url)
const S3RVER = join(dirname(require.resolve('s3rver/package.json')), 'bin/s3rver.js')

/** With `OBJECT_SERVER=swift`, tests run against OpenStack Swift instead of s3rver. */
const IS_SWIFT = process.env.OBJECT_SERVER === 'swift'

/** The credentials that the server of the tests knows. */
export const CREDENTIALS = IS_SWIFT
  ? SWIFT_CREDENTIALS
  : { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

/** Starts a server with one empty bucket. */
export const startObjectServer = (bucket = 'captures'): Promise<ObjectServer> =>
  IS_SWIFT ? startSwift(bucket) : startS3rver(bucket)

async function startS3rver(bucket: string): Promise<ObjectServer> {
  const directory = await mkdtemp(join(tmpdir(), 'objects-'))
  const port = await findFreePort()
  const options = ['-a', '127.0.0.1', '-p', `${port}`, '-d', directory, '--configure-bucket', bucket]
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    server = spawn(process.execPath, [S3RVER, ...options], { stdio: ['ignore', 'pipe', 'ignore'] })
    const output = server.stdout
    const isListening = new Promise<void>((resolve, reject) => {
      output?.on('data', (text) => String(text).includes('listening') && resolve())
      output?.on('end', () => reject(new Error('s3rver ended')))
    })
    await isListening
  }
  async function kill(): Promise<void> {
    if (!server) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
    server = undefined
  }

  await start()
  return {
    ...{ endpoint: `http://127.0.0.1:${port}`, bucket, kill, start },
    async close() {
      await kill()
      await rm(directory, { recursive: true })
    },
  }
}
