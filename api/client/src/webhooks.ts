import type { Answer, Schemas } from './api-types.ts'
import { ProblemError } from './errors.ts'
import type { CallOptions, Transport } from './transport.ts'

/** A webhook, as lists show it: without its secret. */
export type Webhook = Schemas['Webhook']

/** A webhook with a new secret, which cannot be read again. */
export type WebhookWithSecret = Schemas['WebhookWithSecret']

/** An attempt to deliver an event. */
export type WebhookDelivery = Schemas['WebhookDelivery']

/** Webhooks of the subscription, at most 10. */
export interface Webhooks {
  /** Returns all webhooks, oldest first. */
  list(options?: CallOptions): Promise<Webhook[]>
  /** @throws ProblemError `not_found`. */
  get(id: number, options?: CallOptions): Promise<Webhook>
  /** Creates a webhook; without `types` it receives all events. Store the `secret`. Is not repeated after a lost response. */
  create(
    webhook: Pick<Schemas['NewWebhook'], 'url' | 'label'> & Partial<Schemas['NewWebhook']>,
    options?: CallOptions,
  ): Promise<WebhookWithSecret>
  /** Replaces the members that are given. With `enabled: true` it receives what was recorded while it was disabled. */
  update(id: number, change: Schemas['WebhookChange'], options?: CallOptions): Promise<Webhook>
  /** Deletes a webhook with its log; also resolves if there is none. */
  delete(id: number, options?: CallOptions): Promise<void>
  /**
   * Creates a new secret; earlier ones sign too for some hours, 24 by default. Is not repeated after a lost response.
   *
   * @throws ProblemError `conflict` if five secrets overlap.
   */
  rotateSecret(
    id: number,
    rotation?: Partial<Schemas['SecretRotation']>,
    options?: CallOptions,
  ): Promise<WebhookWithSecret>
  /** Sends an event `webhook.test`. @throws ProblemError `conflict` if the webhook is disabled. */
  test(id: number, options?: CallOptions): Promise<Answer<'testWebhook'>>
  /** Delivers the events of a time again. @param until by default now. @throws ProblemError `conflict` if the webhook is disabled. */
  replay(
    id: number,
    range: { readonly since: Date | string; readonly until?: Date | string },
    options?: CallOptions,
  ): Promise<void>
  /** Iterates over the last attempts, about 1,000, newest first. @param options.limit attempts per request, 100 by default. */
  deliveries(id: number, options?: CallOptions & { readonly limit?: number }): AsyncIterable<WebhookDelivery>
}

const PATH = '/api/webhooks/v1'

export function openWebhooks(call: Transport): Webhooks {
  const post = { method: 'POST' } as const
  return {
    list: async (options = {}) => (await call<Answer<'listWebhooks'>>({ ...options, path: PATH })).items,
    get: (id, options = {}) => call({ ...options, path: `${PATH}/${id}` }),
    create: (body, options = {}) => call({ ...options, ...post, path: PATH, body, isRepeatable: false }),
    update: (id, body, options = {}) => call({ ...options, method: 'PATCH', path: `${PATH}/${id}`, body }),
    async delete(id, options = {}) {
      try {
        await call({ ...options, method: 'DELETE', path: `${PATH}/${id}` })
      } catch (error) {
        // the response to an earlier attempt may be lost
        if (!(error instanceof ProblemError && error.title === 'not_found')) throw error
      }
    },
    rotateSecret: (id, body = {}, options = {}) =>
      call({ ...options, ...post, path: `${PATH}/${id}/secrets`, body, isRepeatable: false }),
    test: (id, options = {}) =>
      call({ ...options, ...post, path: `${PATH}/${id}/test`, isRepeatable: false }),
    async replay(id, { since, until = new Date() }, options = {}) {
      const body = { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
      await call({ ...options, ...post, path: `${PATH}/${id}/replay`, body })
    },
    async *deliveries(id, { limit = 100, ...options } = {}) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const query = { limit, cursor }
        const page: Answer<'listWebhookDeliveries'> = await call({
          ...options,
          path: `${PATH}/${id}/deliveries`,
          query,
        })
        yield* page.items
        cursor = page.next
      }
    },
  }
}
