import type { User } from '../../db/accounts/users.ts'
import type { SecurityEvent, SignInReason, Trail } from '../audit/trail.ts'

interface RejectedSignIn {
  readonly address: string | undefined
  readonly outcome: 'failure' | 'denied'
  readonly reason: SignInReason
}

type NamedUser = Pick<User, 'id' | 'subscriptionId' | 'email'>

/**
 * Records a rejected sign-in in the subscription of each user with the e-mail, whom it names although nobody has proved to be
 * them. An e-mail of no user is not recorded: people also type passwords there.
 */
export function noteSignIn(trail: Trail, users: readonly NamedUser[], rejected: RejectedSignIn): void {
  for (const event of eventsOf(users, rejected)) trail.note(event)
}

/** Records that sign-ins with an e-mail or from an address are throttled, once a minute. */
export function noteThrottled(trail: Trail, users: readonly NamedUser[], address: string | undefined): void {
  for (const event of eventsOf(users, { address, outcome: 'denied', reason: 'throttled' }))
    trail.noteOnceAMinute(event)
}

function eventsOf(
  users: readonly NamedUser[],
  { address, outcome, reason }: RejectedSignIn,
): SecurityEvent[] {
  if (users.length === 0)
    return [
      {
        ...{ subscriptionId: null, action: 'session.login', outcome },
        actor: { kind: 'user', id: null, name: '', address },
        detail: { reason: reason === 'wrong_password' ? 'unknown_user' : reason },
      },
    ]
  return users.map(({ id, subscriptionId, email: name }) => ({
    ...{ subscriptionId, action: 'session.login', outcome },
    actor: { kind: 'user', id, name, address },
    detail: { reason },
  }))
}
