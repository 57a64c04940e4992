import type { User } from '../../db/accounts/users.ts'
import type { SecurityEvent, SignInReason, Trail } from '../audit/trail.ts'
import { Problem } from '../http/problem.ts'

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

/** Settles as the attempt does; records it if it is throttled. @param listUsers users whom it concerns. */
export async function noteIfThrottled<T>(
  trail: Trail,
  attempt: Promise<T>,
  { address, listUsers }: { address: string | undefined; listUsers: () => Promise<readonly NamedUser[]> },
): Promise<T> {
  try {
    return await attempt
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate_limited')
      noteThrottled(trail, await listUsers(), address)
    throw error
  }
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
