import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { CLIENT } from './lying-provider.ts'

/** A real OpenID provider, as a process of its own. */
export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string
}

/** Starts the provider for the client of this service. */
export async function openOidcProvider(uris: {
  redirectUri: string
  signOutRedirectUri: string
}): Promise<OidcProvider> {
  const client = {
    client_id: CLIENT.clientId,
    client_secret: CLIENT.clientSecret,
    redirect_uris: [uris.redirectUri],
    post_logout_redirect_uris: [uris.signOutRedirectUri],
    scope: 'openid email groups',
  }
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'oidc-provider.ts'), JSON.stringify([client])],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  child.stdout.setEncoding('utf8')
  const [line] = await once(child.stdout, 'data')
  return {
    issuer: String(line).trim(),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    },
  }
}
