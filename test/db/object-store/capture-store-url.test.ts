import { expect, test } from 'vitest'
import { z } from 'zod'
import { captureStoreVariables } from '../../../db/object-store/capture-store-url.ts'
import { readEnv } from '../../../db/runtime/env.ts'

const read = (CAPTURE_STORE_URL: string, env: NodeJS.ProcessEnv = {}) =>
  readEnv(z.object(captureStoreVariables(env)), { ...env, CAPTURE_STORE_URL }).CAPTURE_STORE_URL

test('names a bucket, a prefix, a region and a server', () => {
  const aws = { bucket: 'captures', prefix: '', endpoint: undefined, region: 'us-east-1', isWritten: true }
  expect(read('')).toBeUndefined()
  expect(read('s3://captures')).toEqual(aws)
  expect(read('s3://captures/', { AWS_REGION: 'eu-west-1' })).toEqual({ ...aws, region: 'eu-west-1' })
  expect(read('s3://captures/a/b/?region=eu-central-1&write=off')).toEqual({
    ...{ ...aws, prefix: 'a/b/', region: 'eu-central-1', isWritten: false },
  })
  expect(read('s3://captures?endpoint=http://10.0.0.5:9000')?.endpoint).toBe('http://10.0.0.5:9000')
})

test.each([
  ['https://captures', 'must be s3://'],
  ['s3://', 'must be s3://'],
  ['s3://key:secret@captures', 'must not have credentials'],
  ['s3://captures?reigon=eu', 'unknown parameters: reigon'],
  ['s3://captures?endpoint=objects', 'no address such as'],
  ['s3://captures?write=no', 'neither on nor off'],
])('rejects %s', (url, error) => {
  expect(() => read(url)).toThrow(error)
})

test('another machine is reached by HTTPS in production, or the URL says otherwise', () => {
  const env = { NODE_ENV: 'production' }
  const http = 's3://captures?endpoint=http://10.0.0.5:9000'
  expect(() => read(http, env)).toThrow('without TLS')
  expect(read(`${http}&tls=off`, env)?.bucket).toBe('captures')
  expect(read('s3://captures?endpoint=http://127.0.0.1:9000', env)?.bucket).toBe('captures')
  expect(read('s3://captures?endpoint=https://objects.example', env)?.bucket).toBe('captures')
})
