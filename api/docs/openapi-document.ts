import { z } from 'zod'
import { type Endpoint, endpoint, JsonText } from '../http/endpoint.ts'

/**
 * Endpoint of the OpenAPI document, which describes the given endpoints and itself. The first request loads what builds it,
 * and builds it: that would take a fifth of the processor time of a start.
 */
export const openapiDocument = (endpoints: readonly Endpoint[]): Endpoint => {
  let text: JsonText | undefined
  const declared: Endpoint = endpoint({
    method: 'get',
    path: '/openapi.json',
    operationId: 'readOpenapi',
    tag: 'Reference',
    summary: 'Returns the API description as an OpenAPI 3.1 document',
    credential: { kind: 'none' },
    response: {
      status: 200,
      description: 'OpenAPI 3.1',
      schema: z.looseObject({
        openapi: z.string().meta({ description: 'OpenAPI version', examples: ['3.1.1'] }),
      }),
    },
    problems: [],
    async act() {
      const { describeEndpoints } = await import('./openapi.ts')
      text ??= new JsonText(JSON.stringify(describeEndpoints([...endpoints, declared])))
      return text
    },
  })
  return declared
}
