import type { components, operations } from './openapi.d.ts'

/** Schemas of the OpenAPI document. */
export type Schemas = components['schemas']

/** JSON of a successful response of an operation. */
export type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
}
  ? Body
  : never

/** Query parameters of an operation. */
export type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>
