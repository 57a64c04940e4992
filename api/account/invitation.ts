import { z } from 'zod'
import { acceptInvitation, findInvitedUser } from '../../db/accounts/invitations.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { ACCOUNT_BODY_BYTES } from './account-body-bytes.ts'
import { InvitationAnswer } from './account-schemas.ts'
import type { LoginTools } from './check-login.ts'

export const invitation = ({ db, passwords, throttle, fewAtOnce }: LoginTools) =>
  endpoint({
    method: 'post',
    path: '/api/account/v1/invitation',
    operationId: 'acceptInvitation',
    tag: 'Account',
    summary: 'Set a password by the link of an invitation',
    description:
      'The token works once. Ends all sessions of its user. Recorded in the audit log.\n\nLogging in comes after it.',
    credential: { kind: 'none' },
    body: InvitationAnswer,
    maxBodyBytes: ACCOUNT_BODY_BYTES,
    answer: {
      status: 200,
      description: 'The password is set',
      schema: z
        .object({
          userEmail: z
            .string()
            .meta({ description: 'Whom to log in as', examples: ['analyst@lender.example'] }),
        })
        .meta({ id: 'InvitedUser' }),
    },
    problems: ['invalid_credentials', 'subscription_suspended', 'rate_limited', 'overloaded'],
    async act({ body: { token, password }, address }) {
      throttle.refuseBlocked(address)
      return fewAtOnce(async () => {
        const attempt = await throttle.attempt(`invitation ${token}`, address)
        const invited = await findInvitedUser(db, token)
        if (!invited) throw gone()
        if (invited.suspended) throw new Problem('subscription_suspended')
        if (!(await acceptInvitation(db, token, await passwords.hash(password)))) throw gone()
        await attempt.succeed()
        return { userEmail: invited.email }
      })
    },
  })

const gone = () =>
  new Problem('invalid_credentials', {
    detail: 'This link was used, replaced, or is too old; ask an admin of your subscription for a new one',
  })
