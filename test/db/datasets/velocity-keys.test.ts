import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashIdentifier, keyedForm } from '../../../db/datasets/velocity-keys.ts'
import { REKEYED } from '../../../db/encryption/data-keys.ts'

test('a keyed hash is the HMAC-SHA-256 of the hash, after a byte 1', () => {
  const secret = randomBytes(32)
  const hash = hashIdentifier('a device')
  const expected = createHmac('sha256', secret).update(hash).digest()
  expect(keyedForm(createSecretKey(secret), REKEYED).keyOf(hash)).toEqual(
    Buffer.concat([Buffer.of(1), expected]),
  )
})
