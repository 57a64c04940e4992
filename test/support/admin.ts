import { logIn } from './client.ts'
import { addUser, type Service, type Tenant } from './service.ts'

/** Adds an admin to the tenant and signs in. @returns the login token */
export async function logInAsAdmin({ db, url }: Service, { subscriptionId }: Tenant): Promise<string> {
  const userEmail = `admin-${subscriptionId}@lender.example`
  await addUser(db, subscriptionId, userEmail, 'admin')
  return logIn(url, { userEmail })
}
