import type { Context } from 'koa'
import { z } from 'zod'
import { findListedSubscription, type ListedSubscription } from '../../db/accounts/subscriptions.ts'
import type { Actor } from '../../db/audit/actor.ts'
import { parse } from '../http/parse.ts'
import { Problem } from '../http/problem.ts'
import { readBody } from '../http/read-json.ts'
import { type ActionTokens, openActionTokens } from './action-tokens.ts'
import type { Ops } from './ops.ts'
import {
  type ActionResult,
  OPS_ACTION_NAMES,
  OPS_ACTIONS,
  type OpsActionName,
  possibleActions,
} from './ops-actions.ts'
import { presentQuestion } from './present-question.ts'
import { presentSubscription } from './present-subscription.ts'
import { readSubscription } from './read-subscription.ts'
import { requireOwnOrigin } from './require-own-origin.ts'

/** Bytes of a form; ours have about 600. */
const MAX_FORM_BYTES = 4_096

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

/** What an action did, in the address to which it leads. */
const Done = z.object({
  done: z.enum(OPS_ACTION_NAMES).optional(),
  count: wholeNumber.default(0),
  withoutData: wholeNumber.exactOptional(),
  after: wholeNumber.exactOptional(),
})

const Form = z.object({ token: z.string().max(2_000), after: wholeNumber.default(0) })

const Question = z.object({ after: wholeNumber.default(0) })

/** Path of a subscription, and of the question before an action. */
export const SUBSCRIPTION_PATH = new RegExp(
  `^/ops/subscriptions/(\\d{1,9})(?:/(${OPS_ACTION_NAMES.join('|')}))?$`,
)

/** Serves the page of a subscription, and its actions: each asks first, and is sent by POST from the page that asks. */
export function openSubscriptionPages(ops: Ops) {
  const tokens = openActionTokens(ops.challenges)

  return async (ctx: Context, actor: Actor, path: readonly (string | undefined)[]): Promise<void> => {
    const id = Number(path[1])
    const action = path[2] as OpsActionName | undefined
    ctx.type = 'text/html; charset=utf-8'
    if (action === undefined) ctx.body = await showSubscription(ops, ctx, actor, id)
    else if (ctx.method === 'POST') await act(ops, tokens, ctx, { actor, id, action })
    else ctx.body = await ask(ops, tokens, ctx, { actor, id, action })
  }
}

async function showSubscription(ops: Ops, ctx: Context, actor: Actor, id: number): Promise<string> {
  const { done, ...result } = parse(Done, ctx.query)
  const state = await readSubscription(ops.db, id, ops.limits)
  if (!state) throw unknown()
  return presentSubscription(state, {
    mayAct: actor.id !== null,
    done: done && {
      text: OPS_ACTIONS[done].present(result),
      ...(result.after !== undefined && {
        continueAt: `/ops/subscriptions/${id}/${done}?after=${result.after}`,
      }),
    },
  })
}

interface Asked {
  readonly actor: Actor
  readonly id: number
  readonly action: OpsActionName
}

async function ask(ops: Ops, tokens: ActionTokens, ctx: Context, { actor, id, action }: Asked) {
  const { after: afterId } = parse(Question, ctx.query)
  const operatorId = requireAccount(actor)
  const subscription = await requireSubscription(ops, id)
  const token = await tokens.issue({ operatorId, action, subscriptionId: id, afterId })
  const sentences = await OPS_ACTIONS[action].ask(ops.db, subscription)
  return presentQuestion(subscription, action, { sentences, token, afterId })
}

async function act(ops: Ops, tokens: ActionTokens, ctx: Context, { actor, id, action }: Asked) {
  requireOwnOrigin(ctx.req.headers, ops.publicOrigin)
  const operatorId = requireAccount(actor)
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw new Problem('unsupported_media_type', { detail: 'Send the form of the page' })
  const form = new URLSearchParams((await readBody(ctx, MAX_FORM_BYTES)).toString())
  const { token, after: afterId } = parse(Form, Object.fromEntries(form))
  if (!(await tokens.isValid({ operatorId, action, subscriptionId: id, afterId }, token)))
    throw new Problem('forbidden', {
      detail:
        'The confirmation has expired or belongs to another action: open the page of the subscription, and begin again',
    })
  await requireSubscription(ops, id)
  const result: ActionResult = await OPS_ACTIONS[action].act(ops, id, { actor, afterId })
  const done = new URLSearchParams({ done: action })
  for (const [name, value] of Object.entries(result)) done.set(name, String(value))
  ctx.status = 303
  ctx.redirect(`/ops/subscriptions/${id}?${done}`)
}

/** @throws Problem `forbidden` for the password that several people know: a record has to name one. */
function requireAccount({ id }: Actor): number {
  if (id !== null) return id
  throw new Problem('forbidden', {
    detail: 'Sign in with an account of your own: scripts/admin operator create',
  })
}

/** @throws Problem `not_found`, or `conflict` if it is being deleted. */
async function requireSubscription({ db }: Ops, id: number): Promise<ListedSubscription> {
  const subscription = await findListedSubscription(db, id)
  if (!subscription) throw unknown()
  if (possibleActions(subscription).length === 0)
    throw new Problem('conflict', { detail: 'The subscription is being deleted' })
  return subscription
}

const unknown = () => new Problem('not_found', { detail: 'There is no subscription of this id' })
