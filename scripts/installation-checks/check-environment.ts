import { webEnv } from '../../api/config.ts'
import type { Finding } from '../../db/checks/finding.ts'
import { EnvError, readEnv } from '../../db/runtime/env.ts'
import { workerEnv } from '../../worker/config.ts'
import type { Check } from './check.ts'

/** Checks the variables as web and worker read them at their start, and those that are valid but should not be so in production. */
export const checkEnvironment: Check = {
  name: 'environment',
  async run({ env, variables, isProduction }) {
    const errors = new Set([
      ...listErrors(() => readEnv(webEnv(env), env)),
      ...listErrors(() => readEnv(workerEnv(env), env)),
    ])
    const findings: Finding[] = [...errors].map((message) => ({
      level: 'error',
      message,
      remedy:
        'Set the variable as docs/operations/variables.md says: web or worker does not start with this value',
    }))
    if (!isProduction)
      findings.push({
        level: 'warning',
        message:
          'NODE_ENV is not production: keys and TLS are not required, and data can be stored without encryption',
        remedy: 'Set NODE_ENV=production for web and worker',
      })
    if (variables.PUBLIC_URL === undefined)
      findings.push({
        level: 'warning',
        message: 'PUBLIC_URL is not set: passkeys and single sign-on work on localhost only',
        remedy: 'Set PUBLIC_URL to the address of the portal, such as https://inkling.example',
      })
    if (variables.REDIS_URL === undefined && isProduction)
      findings.push({
        level: 'warning',
        message: 'REDIS_URL is not set: the queue is in Postgres, which is for small loads',
        remedy: 'Set REDIS_URL to the address of a Redis or Valkey with maxmemory-policy noeviction',
      })
    if (variables.OPS_PASSWORD !== undefined)
      findings.push({
        level: 'warning',
        message: 'OPS_PASSWORD is deprecated: the next version does not accept it',
        remedy:
          'Create an account for each operator with scripts/admin operator create, then remove the variable',
      })
    return { saw: isProduction ? 'production' : `NODE_ENV is ${env.NODE_ENV || 'not set'}`, findings }
  },
}

function listErrors(read: () => unknown): string[] {
  try {
    read()
    return []
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
}
