import manifest from '../../package.json' with { type: 'json' }
import { TOKEN_COOKIE } from '../account/session-cookies.ts'
import { type Endpoint, TAGS } from '../http/endpoint.ts'
import { ProblemDetails } from '../http/present-problem.ts'
import { describeOperation } from './describe-operation.ts'
import { describeWebhooks } from './describe-webhooks.ts'
import { HEADERS } from './headers.ts'
import { type JsonObject, schemaOf } from './json-schema.ts'
import { problemExamples, problemResponsesAlone } from './problem-responses.ts'

const DESCRIPTION = `Upload behavioural datasets and read the insight computed from them.

1. Upload a dataset with an API key of role uploader: \`uploadDataset\`. The example below is a valid capture that you can send as it is.
2. Optionally attach Additional Info with the same key: \`assignAdditionalInfo\`.
3. Read the insight: \`requestInsights\` with an API key of role requester, or \`login\` and then \`requestDatasetInsight\`.

An admin of the subscription creates keys in the portal, with a role or with scopes; an operation names the scope that it requires. Send a credential as \`Authorization: Bearer …\`. Errors are problem
details (RFC 9457); programs switch on \`title\`. Later versions may add members to responses: ignore unknown ones.`

/**
 * Builds the OpenAPI 3.1 document from the schemas that validate requests and, in tests, responses. Operations are in the
 * order of their tags.
 *
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function describeEndpoints(endpoints: readonly Endpoint[]): JsonObject {
  const components: JsonObject = {}
  schemaOf(ProblemDetails, 'output', components)
  const tags = Object.keys(TAGS)
  const paths: Record<string, JsonObject> = {}
  for (const endpoint of endpoints.toSorted((a, b) => tags.indexOf(a.tag) - tags.indexOf(b.tag))) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method]: describeOperation(endpoint, components) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Inkling',
      version: manifest.version,
      description: DESCRIPTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: describeWebhooks(components),
    components: {
      schemas: components,
      responses: problemResponsesAlone(endpoints),
      headers: HEADERS,
      examples: problemExamples(),
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'API key: ink_…, or of test mode ink_test_…; x-required-scope of an operation is the scope that the key must have',
        },
        login: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Token from login' },
        siteKey: {
          type: 'apiKey',
          in: 'query',
          name: 'k',
          description: 'Site key: pk_…, pk_test_… in test mode; public, only opens collections',
        },
        collection: {
          type: 'apiKey',
          in: 'query',
          name: 'c',
          description: 'Collection: c_…, as returned when it was opened',
        },
        browser: {
          type: 'apiKey',
          in: 'cookie',
          name: TOKEN_COOKIE,
          description: 'Login token in a cookie; only from the portal, with X-Inkling-Portal: 1',
        },
      },
    },
  }
}
