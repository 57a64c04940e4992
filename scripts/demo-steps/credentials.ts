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
 * Returns the credentials of the demo's subscription: those of the last run if they still work, otherwise those of a new
 * subscription. Stores them in the file for the next run.
 */
export async function openCredentials(
  file: string,
  { admin, baseUrl, signal }: { admin: Admin; baseUrl: string; signal: AbortSignal },
): Promise<Credentials & { token: string }> {
  const stored = readCredentials(file)
  const storedToken = stored && (await logIn(baseUrl, stored.login, signal))
  if (stored && storedToken !== undefined) return { ...stored, token: storedToken }

  const credentials = await createSubscription(admin)
  writeFileSync(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  const token = await logIn(baseUrl, credentials.login, signal)
  if (token === undefined) throw new Error('The API rejects the user that was just created')
  return { ...credentials, token }
}

/** Reads the credentials that a run of the demo stored; undefined if the file is missing or has other content. */
export function readCredentials(file: string): Credentials | undefined {
  if (!existsSync(file)) return undefined
  try {
    return Credentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined // written by an older version, or incomplete
  }
}

/** Returns a token, or undefined if the login is rejected because the database is not the one of the credentials. */
async function logIn(
  baseUrl: string,
  login: Credentials['login'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const { status, text } = await callApi(baseUrl, { path: '/api/account/v1/login', body: login, signal })
  if (status === 400 || status === 401) return undefined
  if (status !== 200) throw new Error(`The login returned ${status}: ${text}`)
  return z.object({ access_token: z.string() }).parse(JSON.parse(text)).access_token
}

async function createSubscription(admin: Admin): Promise<Credentials> {
  // Names and e-mail addresses are unique; those of a run whose credentials were lost still exist.
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
