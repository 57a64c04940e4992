import { fixedSigningKeys } from '../../api/account/signing-keys.ts'
import { listTokenKeys, type PrivateJwk } from '../../db/accounts/token-keys.ts'
import type { Finding } from '../../db/checks/finding.ts'
import type { Check } from './check.ts'

/** Checks that each key that signs tokens of users works. */
export const checkSigningKeys: Check = {
  name: 'signing keys',
  async run({ tables, variables, env }) {
    const configured = variables.TOKEN_SIGNING_KEYS
    if (configured) {
      const findings = await judgeKeys(configured)
      const kids = configured.map(({ kid }) => kid)
      if (new Set(kids).size < kids.length)
        findings.push({
          level: 'error',
          message:
            'Two keys of TOKEN_SIGNING_KEYS have the same kid: tokens that one of them signed are rejected',
          remedy: 'Create a new value with scripts/admin token-key rotate',
        })
      return { saw: `${count(configured.length)} in TOKEN_SIGNING_KEYS, ${kids[0]} signs`, findings }
    }
    const stored = await listTokenKeys(await tables())
    const isInvalid = Boolean(env.TOKEN_SIGNING_KEYS)
    return {
      saw: isInvalid ? 'invalid TOKEN_SIGNING_KEYS' : `${count(stored.length)} in Postgres`,
      findings: isInvalid ? [] : await judgeKeys(stored.map(({ jwk }) => jwk)), // the check of the environment has the error
    }
  },
}

const judgeKeys = async (jwks: readonly PrivateJwk[]) => (await Promise.all(jwks.map(judgeKey))).flat()

const count = (keys: number) => `${keys} key${keys === 1 ? '' : 's'}`

/** Signs with the private part and verifies with the public one, by the keys as web has them. */
async function judgeKey(jwk: PrivateJwk): Promise<Finding[]> {
  const text = Buffer.from('inkling')
  try {
    const keys = await fixedSigningKeys([jwk])
    const [{ key }, publicKey] = await Promise.all([keys.current(), keys.find(jwk.kid)])
    const signature = await crypto.subtle.sign('Ed25519', key, text)
    if (publicKey && (await crypto.subtle.verify('Ed25519', publicKey, signature, text))) return []
  } catch {
    // the message of the error may have parts of the key
  }
  return [
    {
      level: 'error',
      message: `The signing key ${jwk.kid} does not work: its private part does not match its public part, and tokens that it signs are rejected`,
      remedy:
        'Create another value for TOKEN_SIGNING_KEYS with scripts/admin token-key create; users sign in again',
    },
  ]
}
