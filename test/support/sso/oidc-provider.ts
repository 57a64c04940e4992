/**
 * Serves a real OpenID provider, until it is killed: `node oidc-provider.ts '[{ …client… }]'`. Prints its issuer. Its pages take any
 * name and password; the name is the e-mail, and the part before `+` or `@` is the group.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
const provider = new Provider(issuer, {
  clients: JSON.parse(process.argv[2] ?? '[]'),
  cookies: { keys: ['only for tests'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
  findAccount: (_ctx, id) => ({
    accountId: id,
    claims: () => ({
      sub: `subject of ${id}`,
      ...{ email: id, email_verified: true, groups: [/^[^+@]*/.exec(id)?.[0] ?? '', 'people'] },
    }),
  }),
})
server.on('request', provider.callback())
process.stdout.write(`${issuer}\n`)
