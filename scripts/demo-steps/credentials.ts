import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { callApi } from '../servers/call-api.ts'
import type { Admin } from './admin.ts'

const Credentials = z.object({
  subscription: z.object({ id: z.number(), name: z.string() }),
  login: z.object({ userEmail: z.string(), password: z.string() }),
  role: z.literal('admin'),
  uploaderKey: z.string(),
  requesterKey: z.string(),
})

export type Credentials = z.infer<typeof Credentials>

/**
 * The credentials of the demo's subscription: those of the last run while they work, else a new subscription's, kept
 * in the file for the next run.
 */
export async function openCredentials(
  file: string,
  { admin, baseUrl, signal }: { admin: Admin; baseUrl: string; signal: AbortSignal },
): Promise<Credentials & { token: string }> {
  const kept = readCredentials(file)
  const keptToken = kept && (await logIn(baseUrl, kept.login, signal))
  if (kept && keptToken !== undefined) return { ...kept, token: keptToken }

  const credentials = await createSubscription(admin)
  writeFileSync(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  const token = await logIn(baseUrl, credentials.login, signal)
  if (token === undefined) throw new Error('The API refuses the login that was just made')
  return { ...credentials, token }
}

/** The credentials that a run of the demo left in this file; undefined where it is missing or holds anything else. */
export function readCredentials(file: string): Credentials | undefined {
  if (!existsSync(file)) return undefined
  try {
    return Credentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined // of an older version, or half written
  }
}

/** A token, or undefined if the login is refused: then the database is another one than the credentials are for. */
async function logIn(
  baseUrl: string,
  login: Credentials['login'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const { status, text } = await callApi(baseUrl, { path: '/api/account/v1/login', body: login, signal })
  if (status === 400 || status === 401) return undefined
  if (status !== 200) throw new Error(`Login answered ${status}: ${text}`)
  return z.object({ access_token: z.string() }).parse(JSON.parse(text)).access_token
}

async function createSubscription(admin: Admin): Promise<Credentials> {
  // Names and e-mail addresses are unique, and those of a run whose credentials were lost are still there.
  const suffix = randomBytes(3).toString('hex')
  const login = {
    userEmail: `admin-${suffix}@demo.example`,
    password: randomBytes(12).toString('base64url'),
  }
  const subscription = Credentials.shape.subscription.parse(
    await admin(['subscription', 'create', `demo-${suffix}`]),
  )
  const id = String(subscription.id)
  const createKey = async (role: string) =>
    z.object({ key: z.string() }).parse(await admin(['key', 'create', id, '--role', role, '--label', 'demo']))
      .key
  const [uploaderKey, requesterKey] = await Promise.all([
    createKey('uploader'),
    createKey('requester'),
    admin(['user', 'create', id, login.userEmail, '--role', 'admin', '--password-stdin'], login.password),
  ])
  return { subscription, login, role: 'admin', uploaderKey, requesterKey }
}
