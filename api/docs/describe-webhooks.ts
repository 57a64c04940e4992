import { WebhookMessage } from '../events/event-schemas.ts'
import { exampleOf } from './example-of.ts'
import { type JsonObject, schemaOf } from './json-schema.ts'

const HEADERS = {
  'webhook-id': [
    'Id of the event, the same in each attempt: drop repeats by it',
    'evt_0123456789ABCDEFGHIJKL',
  ],
  'webhook-timestamp': ['When the attempt began, in seconds since 1970', '1795852800'],
  'webhook-signature': [
    'One or more of `v1,` and base64 of HMAC-SHA256 of id, timestamp and body with dots between, one for each live secret, with spaces between',
    'v1,MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  ],
} as const

/** Returns the messages that receivers of webhooks get, for `webhooks` of the document. @see https://www.standardwebhooks.com */
export function describeWebhooks(components: JsonObject): JsonObject {
  const schema = schemaOf(WebhookMessage, 'output', components)
  return {
    event: {
      post: {
        operationId: 'receiveEvent',
        tags: ['Webhooks'],
        summary: 'Receives an event',
        description:
          'Sent to the URL of each webhook that receives the type, in the Standard Webhooks format. Verify the signature, answer with 2xx within ' +
          '15 seconds, and do the work afterwards. Any other answer is repeated for three days; 410 disables the webhook. Events of one dataset ' +
          'come in order; any event may come more than once.',
        security: [],
        parameters: Object.entries(HEADERS).map(([name, [description, example]]) => ({
          ...{ name, in: 'header', required: true, description, schema: { type: 'string' }, example },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema, example: exampleOf(schema, components) } },
        },
        responses: { '2XX': { description: 'The event was received' } },
      },
    },
  }
}
