import { afterAll, beforeAll, expect, test } from 'vitest'
import { addUser } from '../support/service.ts'
import { CLIENT, type LyingProvider, openLyingProvider } from '../support/sso/lying-provider.ts'
import { withAdmin } from '../support/with-admin.ts'

const { stack, admin, expectRefused, expectWrongUsage, listAudit } = withAdmin({ service: false })

let provider: LyingProvider
beforeAll(async () => {
  provider = await openLyingProvider()
})
afterAll(() => provider[Symbol.asyncDispose]())

test('the operator sets single sign-on up, confirms its domain, and removes it', async () => {
  const { name, subscriptionId } = stack.tenant
  const empty = await admin(['sso', 'show', name])
  expect(empty).toMatchObject({
    connection: null,
    signInPath: expect.stringContaining('/sso/start?connection='),
  })
  const stdin = `${CLIENT.clientSecret}\n`
  const client = ['--issuer', provider.issuer, '--client-id', CLIENT.clientId, '--client-secret-stdin']
  await expectWrongUsage(
    [['sso', 'set', name, ...client], /domains: must have at least one domain/, { stdin }],
    [['sso', 'set', name, '--role', 'risk=chief'], /VALUE=admin or VALUE=analyst/],
  )
  const domain = ['--domain', 'Lender.example']
  await expectRefused(
    [['sso', 'set', name, ...client.slice(0, 4), ...domain], /client secret is required/],
    [
      ['sso', 'set', name, ...client, ...domain, '--issuer', `${provider.issuer}/none`],
      /issuer is not usable/,
      { stdin },
    ],
    [['sso', 'confirm-domain', name, 'lender.example'], /no domain "lender.example"/],
  )
  const roles = [
    '--role-claim',
    'groups',
    '--role',
    'a=b=admin',
    '--role',
    'risk=analyst',
    '--default-role',
    'none',
  ]
  const saved = await admin(['sso', 'set', name, ...client, ...domain, ...roles, '--create-users', 'on'], {
    stdin,
  })
  expect(JSON.stringify(saved)).not.toContain(CLIENT.clientSecret)
  expect(saved).toMatchObject({
    redirectPath: empty.redirectPath,
    connection: {
      ...{
        roleClaim: 'groups',
        roles: { 'a=b': 'admin', risk: 'analyst' },
        defaultRole: null,
        createsUsers: true,
      },
      ...{ domains: [{ domain: 'lender.example', confirmed: false }], passwordLogin: true },
    },
  })
  await admin(['sso', 'confirm-domain', name, 'lender.example'])
  await expectRefused([
    ['sso', 'set', name, '--password-login', 'off'],
    /sign in by single sign-on as an admin/,
  ])
  const changed = await admin(['sso', 'set', name, '--trust-factors', 'on'])
  expect(changed.connection).toMatchObject({
    ...{ trustsFactors: true, roles: { risk: 'analyst' } },
    domains: [{ domain: 'lender.example', confirmed: true }],
  })
  await expectRefused([['sso', 'remove', name], /No admin has a password/])
  await addUser(stack.db, subscriptionId, 'admin@lender.example', 'admin')
  await admin(['sso', 'remove', name])
  await expectRefused([['sso', 'remove', name], /has no single sign-on/])
  expect((await listAudit(subscriptionId)).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['sso.change', 'sso.confirm', 'sso.change', 'sso.remove']),
  )
})
