import { findTestSubscription, openTestSubscription } from '../../db/accounts/test-subscriptions.ts'
import type { Db } from '../../db/postgres/database.ts'
import { cacheLookups } from '../account/credential-cache.ts'
import { actorOf } from '../http/actor.ts'
import type { Caller, Endpoint, LoginCaller, Tag } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'

/** Header by which callers with a login choose the mode: `test` or `live`. The mode of a key is its own. */
export const MODE_HEADER = 'Inkling-Mode'

/** Operations of these tags are about the subscription itself, its users and credentials, and know no mode; all others are about its data. */
const TAGS_WITHOUT_MODES: ReadonlySet<Tag> = new Set<Tag>([
  'API keys',
  'Users',
  'Single sign-on',
  'Policy',
  'Account',
  'Reference',
  'Health',
])

/** Whether callers with a login may choose the mode of an endpoint. */
export const hasModes = ({ tag, credential }: Pick<Endpoint, 'tag' | 'credential'>): boolean =>
  (credential.kind === 'login' || credential.kind === 'either') && !TAGS_WITHOUT_MODES.has(tag)

/**
 * Returns the caller within the mode of the request. Within the test mode, a caller with a login acts in the subscription's test mode, which is
 * created on its first use. Returns a promise only if the database has to be queried.
 *
 * @param mode the header.
 * @throws Problem `forbidden` for an unknown mode, and for a key of the other mode.
 */
export type EnterMode = (
  caller: Caller | undefined,
  endpoint: Endpoint,
  mode: string | undefined,
) => Caller | undefined | Promise<Caller>

/** Opens the modes; caches the test modes of subscriptions for 3 s. */
export function openModes(db: Db): EnterMode {
  const lookUp = cacheLookups<{ readonly id: number }>(async (subscriptionId) => {
    const id = await findTestSubscription(db, Number(subscriptionId))
    return id === undefined ? undefined : { id }
  })

  async function enterTest(caller: LoginCaller): Promise<LoginCaller> {
    const { subscriptionId } = caller
    const found = await lookUp(String(subscriptionId))
    const actor = actorOf(caller, undefined)
    if (!actor) throw new Error('A login has no actor')
    const id = found?.id ?? (await openTestSubscription(db, { subscriptionId, actor }))
    return { ...caller, subscriptionId: id }
  }

  return (caller, endpoint, mode) => {
    const isTestOnly = endpoint.tag === 'Test mode'
    if (!caller || (mode === undefined && !isTestOnly)) return caller
    if (mode !== undefined && mode !== 'test' && mode !== 'live')
      throw new Problem('forbidden', { detail: `${MODE_HEADER} must be test or live` })
    if (caller.kind === 'key') {
      requireModeOfKey(caller.isTest, mode ?? 'test')
      return caller
    }
    if (caller.kind !== 'login') return caller
    return isTestOnly || (mode === 'test' && hasModes(endpoint)) ? enterTest(caller) : caller
  }
}

function requireModeOfKey(isTest: boolean, mode: 'test' | 'live'): void {
  if (isTest === (mode === 'test')) return
  throw new Problem('forbidden', {
    detail: isTest
      ? 'This is a test key, which reads and writes test data only; use a live key, or leave out Inkling-Mode'
      : 'This is a live key; use a test key, which an admin creates in the portal under API keys or with mode "test"',
  })
}
