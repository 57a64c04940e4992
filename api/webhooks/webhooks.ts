import { z } from 'zod'
import type { Vault } from '../../db/encryption/vault.ts'
import { listDeliveries } from '../../db/events/webhook-deliveries.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  MAX_WEBHOOKS,
  requestReplay,
  requestTest,
  rotateSecret,
} from '../../db/events/webhooks.ts'
import type { Db } from '../../db/postgres/database.ts'
import { isForbiddenAddress, isPermittedUrl, type Reach } from '../../db/runtime/reach.ts'
import { endpoint } from '../http/endpoint.ts'
import { idParam, requireId } from '../http/id-param.ts'
import { pageOf, paging, presentPage } from '../http/paging.ts'
import { Problem } from '../http/problem.ts'
import {
  NewWebhook,
  ReplayRequest,
  RequestedTest,
  SecretRotation,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookList,
  WebhookWithSecret,
} from './webhook-schemas.ts'

const common = {
  tag: 'Webhooks',
  credential: { kind: 'either', scope: 'webhooks:manage', roles: ['admin'] },
} as const

const one = { ...common, params: { id: idParam('webhook', '3') } } as const

/** The webhooks of a subscription. @param reach which receivers may be called. */
export function webhooks({ db, vault }: { db: Db; vault: Vault }, reach: Reach) {
  return [
    endpoint({
      ...common,
      method: 'get',
      path: '/api/webhooks/v1',
      operationId: 'listWebhooks',
      summary: 'Lists the webhooks of the subscription',
      response: { status: 200, description: 'Webhooks', schema: WebhookList },
      problems: [],
      act: async ({ caller }) => ({ items: await listWebhooks(db, caller.subscriptionId) }),
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/api/webhooks/v1',
      operationId: 'createWebhook',
      idempotency: 'not_idempotent',
      summary: 'Creates a webhook',
      description:
        'It receives the events that happen from the response on, in the Standard Webhooks format; see webhooks.md. ' +
        `A subscription has at most ${MAX_WEBHOOKS} webhooks. Recorded in the audit log.`,
      stepUp: 'with_factor',
      body: NewWebhook,
      response: { status: 200, description: 'The webhook with its secret', schema: WebhookWithSecret },
      problems: ['conflict'],
      async act({ caller: { subscriptionId }, actor, body }) {
        requirePermitted(body.url, reach)
        const created = await createWebhook(
          { db, vault },
          { subscriptionId, actor, ...body, label: body.label.trim() },
        )
        if (created === 'limit')
          throw new Problem('conflict', {
            detail: `The subscription has ${MAX_WEBHOOKS} webhooks, which is the limit; delete some first`,
          })
        return created
      },
    }),
    endpoint({
      ...one,
      method: 'get',
      path: '/api/webhooks/v1/:id',
      operationId: 'showWebhook',
      summary: 'Shows a webhook',
      response: { status: 200, description: 'The webhook', schema: Webhook },
      problems: ['not_found'],
      act: async ({ caller: { subscriptionId }, params }) =>
        found(await findWebhook(db, { subscriptionId, id: requireId(params.id) })),
    }),
    endpoint({
      ...one,
      method: 'patch',
      path: '/api/webhooks/v1/:id',
      operationId: 'changeWebhook',
      idempotency: 'idempotent',
      summary: 'Changes, disables or enables a webhook',
      description:
        'Replaces each member that is sent. A webhook that is enabled again receives the events recorded while it was disabled, in order. Recorded in the audit log.',
      stepUp: 'with_factor',
      body: WebhookChange,
      response: { status: 200, description: 'The changed webhook', schema: Webhook },
      problems: ['not_found'],
      async act({ caller: { subscriptionId }, actor, params, body: { label, ...rest } }) {
        const id = requireId(params.id)
        if (rest.url !== undefined) requirePermitted(rest.url, reach)
        return found(await changeWebhook(db, { subscriptionId, actor, id, ...rest, label: label?.trim() }))
      },
    }),
    endpoint({
      ...one,
      method: 'delete',
      path: '/api/webhooks/v1/:id',
      operationId: 'deleteWebhook',
      summary: 'Deletes a webhook with its secrets and log',
      description: 'Recorded in the audit log.',
      stepUp: 'with_factor',
      response: { status: 204, description: 'The webhook is deleted' },
      problems: ['not_found'],
      async act({ caller: { subscriptionId }, actor, params }) {
        const isDeleted = await deleteWebhook(db, { subscriptionId, actor, id: requireId(params.id) })
        if (!isDeleted) throw new Problem('not_found')
      },
    }),
    endpoint({
      ...one,
      method: 'post',
      path: '/api/webhooks/v1/:id/secrets',
      operationId: 'rotateWebhookSecret',
      idempotency: 'not_idempotent',
      summary: 'Creates a new secret of a webhook',
      description:
        'Messages are signed by the new secret and, for some hours, by earlier ones too, so that a receiver can change over. Recorded in the audit log.',
      stepUp: 'with_factor',
      body: SecretRotation,
      response: { status: 200, description: 'The webhook with the new secret', schema: WebhookWithSecret },
      problems: ['not_found', 'conflict'],
      async act({ caller: { subscriptionId }, actor, params, body: { overlapHours } }) {
        const id = requireId(params.id)
        const rotated = found(await rotateSecret({ db, vault }, { subscriptionId, actor, id, overlapHours }))
        if (rotated === 'limit')
          throw new Problem('conflict', {
            detail: 'Five secrets overlap already; send overlapHours 0 to end them',
          })
        return rotated
      },
    }),
    endpoint({
      ...one,
      method: 'post',
      path: '/api/webhooks/v1/:id/test',
      operationId: 'testWebhook',
      idempotency: 'not_idempotent',
      summary: 'Sends an event of type webhook.test to a webhook',
      description:
        'It is delivered immediately, whichever types the webhook receives; the log of deliveries shows the answer.',
      response: { status: 200, description: 'The event', schema: RequestedTest },
      problems: ['not_found', 'conflict'],
      act: async ({ caller: { subscriptionId }, actor, params }) =>
        enabled(await requestTest(db, { subscriptionId, actor, id: requireId(params.id) })),
    }),
    endpoint({
      ...one,
      method: 'post',
      path: '/api/webhooks/v1/:id/replay',
      operationId: 'replayWebhook',
      idempotency: 'idempotent',
      summary: 'Delivers the events of a time again',
      description:
        'Beside new events, with the same ids. Replaces an earlier request that is not done. Recorded in the audit log.',
      body: ReplayRequest,
      response: { status: 204, description: 'The replay has been requested' },
      problems: ['not_found', 'conflict'],
      async act({ caller: { subscriptionId }, actor, params, body: { since, until } }) {
        const id = requireId(params.id)
        const times = { since: new Date(since), until: new Date(until) }
        enabled(await requestReplay(db, { subscriptionId, actor, id, ...times }))
      },
    }),
    endpoint({
      ...one,
      method: 'get',
      path: '/api/webhooks/v1/:id/deliveries',
      operationId: 'listWebhookDeliveries',
      summary: 'Lists the last attempts to deliver events to a webhook',
      description: 'Newest first; about 1,000 attempts are kept.',
      query: DeliveryQuery,
      response: {
        status: 200,
        description: 'Attempts',
        schema: pageOf(WebhookDelivery).meta({ id: 'WebhookDeliveryList' }),
      },
      problems: ['not_found'],
      async act({ caller: { subscriptionId }, params, query: { cursor: before, limit } }) {
        const key = { subscriptionId, id: requireId(params.id) }
        const [rows] = await Promise.all([
          listDeliveries(db, key, { before, limit: limit + 1 }),
          findWebhook(db, key).then(found),
        ])
        return presentPage(rows, limit, ({ id }) => String(id))
      },
    }),
  ]
}

const DeliveryQuery = z.object({
  ...paging,
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'must be next of a previous page')
    .optional()
    .meta({ description: 'next of the previous page; omit for the first page', examples: ['41'] })
    .transform((cursor) => (cursor === undefined ? undefined : Number(cursor))),
})

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Problem('not_found')
  return value
}

function enabled<Value>(value: Value | 'disabled' | undefined): Value {
  const state = found(value)
  if (state === 'disabled')
    throw new Problem('conflict', { detail: 'The webhook is disabled; enable it first' })
  return state as Value
}

/** @throws Problem `validation_failed` for a URL that is never called. A name is checked when it is called. */
function requirePermitted(url: string, reach: Reach): void {
  const fault = !isPermittedUrl(url, reach)
    ? 'must begin with https://'
    : isForbiddenAddress(url, reach)
      ? 'must not be an address outside of the Internet'
      : undefined
  if (fault) throw new Problem('validation_failed', { errors: { url: [fault] } })
}
