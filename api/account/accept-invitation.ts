import { z } from 'zod'
import { acceptInvitation, findInvitedUser } from '../../db/accounts/invitations.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { ACCOUNT_BODY_BYTES, InvitationAcceptance } from './account-schemas.ts'
import type { LoginDependencies } from './check-login.ts'
import { requireAcceptablePassword } from './password-rules.ts'

export const invitationAcceptance = ({ db, passwords, throttle, limitConcurrency }: LoginDependencies) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/invitation',
    operationId: 'acceptInvitation',
    idempotency: 'idempotent',
    tag: 'Account',
    summary: 'Accepts an invitation and sets a password',
    description:
      'The token works once. Ends all sessions of the user. Recorded in the audit log.\n\nSign in afterwards.',
    credential: { kind: 'none' },
    body: InvitationAcceptance,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    response: {
      status: 200,
      description: 'The password is set',
      schema: z
        .object({
          userEmail: z
            .string()
            .meta({ description: 'E-mail to sign in with', examples: ['analyst@lender.example'] }),
          subscription: z.string().meta({
            description: 'Name of the subscription whose password was set',
            examples: ['Acme Lending'],
          }),
        })
        .meta({ id: 'InvitedUser' }),
    },
    problems: ['invalid_credentials', 'subscription_suspended', 'rate_limited', 'overloaded'],
    async act({ body: { token, password }, address }) {
      throttle.rejectBlocked(address)
      return limitConcurrency(async () => {
        const attempt = await throttle.attempt(`invitation ${token}`, address)
        const invited = await findInvitedUser(db, token)
        if (!invited) throw linkExpired()
        if (invited.suspended) throw new Problem('subscription_suspended')
        await attempt.succeed() // a rejected password is no guess of a token
        await requireAcceptablePassword('password', password, invited.email)
        if (!(await acceptInvitation(db, token, await passwords.hash(password), address))) throw linkExpired()
        return { userEmail: invited.email, subscription: invited.subscriptionName }
      })
    },
  })

const linkExpired = () =>
  new Problem('invalid_credentials', {
    detail: 'This link was used or replaced, or has expired; ask an admin of your subscription for a new one',
  })
