import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'
import { ApiProblem } from '../client/api-problem.ts'

/** Options as the API returns them, which the browser reads. */
type Options = Readonly<Record<string, unknown>>

/** Lets the user create a passkey. @throws ApiProblem `passkey_failed` if they cancel or the authenticator fails. */
export async function createPasskey(options: Options): Promise<RegistrationResponseJSON> {
  const { startRegistration } = await load()
  return startRegistration({
    optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON, // the API's own, for the same package
  }).catch(fail)
}

/** Lets the user answer a challenge by a passkey. @throws ApiProblem `passkey_failed` as above. */
export async function answerByPasskey(options: Options): Promise<AuthenticationResponseJSON> {
  const { startAuthentication } = await load()
  return startAuthentication({
    optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
  }).catch(fail)
}

const load = () => import('@simplewebauthn/browser')

const TEXTS: Readonly<Record<string, string>> = {
  NotAllowedError:
    'The passkey was not used: you cancelled, it took too long, or this device has none. Try again.',
  InvalidStateError: 'This device has a passkey of your account already.',
}

function fail(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  throw new ApiProblem({
    status: 0,
    title: 'passkey_failed',
    detail: TEXTS[name] ?? 'The browser could not use a passkey here. Try again, or use another way.',
  })
}
