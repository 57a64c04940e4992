import { compareSchemas, type Direction, type Versions } from './compare-schemas.ts'
import type { Contract, Operation } from './contract.ts'

/**
 * Lists the changes between two contracts with which a client of the earlier one may stop working, one sentence each. Additions are
 * none: routes, optional members of requests, members of responses, values of enums of responses, problems.
 *
 * @param today yyyy-mm-dd: an operation may be removed from its sunset on.
 * @see docs/versioning.md
 */
export function findBreaks(before: Contract, after: Contract, today: string): string[] {
  const shared = new Map<string, [name: string, direction: Direction]>()
  const versions: Versions = {
    before: before.schemas,
    after: after.schemas,
    onShared: (name, direction) => void shared.set(`${direction} ${name}`, [name, direction]),
  }
  const breaks = Object.entries(before.operations).flatMap(([name, operation]) => {
    const later = after.operations[name]
    if (later) return compareOperations(name, operation, later, versions)
    return operation.sunset !== undefined && operation.sunset <= today ? [] : [`${name} was removed`]
  })
  // the list grows while it is read: schemas refer to further ones
  for (const [name, direction] of shared.values()) {
    const [earlier, later] = [before.schemas[name], after.schemas[name]]
    if (earlier && later)
      breaks.push(...compareSchemas(earlier, later, `${name} in a ${direction}`, direction, versions))
  }
  return breaks
}

function compareOperations(name: string, before: Operation, after: Operation, versions: Versions): string[] {
  return [
    ...(before.operationId === after.operationId
      ? []
      : [`${name} has another operationId, ${after.operationId}`]),
    ...before.security
      .filter((kind) => !after.security.includes(kind) && after.security.length > 0)
      .map((kind) => `${name} no longer accepts the credential ${kind}`),
    ...(before.security.length === 0 && after.security.length > 0
      ? [`${name} now requires a credential`]
      : []),
    ...(before.scope !== undefined && after.scope !== undefined && before.scope !== after.scope
      ? [`${name} requires another scope, ${after.scope}`]
      : []),
    ...compareParameters(name, before, after, versions),
    ...compareBodies(name, before, after, versions),
    ...compareResponses(name, before, after, versions),
    ...before.headers
      .filter((header) => !after.headers.includes(header))
      .map((header) => `${name} no longer sends the header ${header}`),
    ...Object.entries(before.problems)
      .filter(([title, status]) => (after.problems[title] ?? status) !== status)
      .map(([title]) => `${name} answers ${title} with status ${after.problems[title]}`),
  ]
}

function compareParameters(name: string, before: Operation, after: Operation, versions: Versions): string[] {
  return [
    ...Object.entries(before.parameters).flatMap(([parameter, { required, schema }]) => {
      const later = after.parameters[parameter]
      if (!later) return [`${name} ${parameter} was removed`]
      return [
        ...(later.required && !required ? [`${name} now requires ${parameter}`] : []),
        ...compareSchemas(schema, later.schema, `${name} ${parameter}`, 'request', versions),
      ]
    }),
    ...Object.entries(after.parameters)
      .filter(([parameter, { required }]) => required && !before.parameters[parameter])
      .map(([parameter]) => `${name} now requires ${parameter}`),
  ]
}

function compareBodies(name: string, before: Operation, after: Operation, versions: Versions): string[] {
  if (!after.body) return before.body ? [`${name} no longer has a body`] : []
  return before.body
    ? compareSchemas(before.body, after.body, `${name} body`, 'request', versions)
    : [`${name} now requires a body`]
}

function compareResponses(name: string, before: Operation, after: Operation, versions: Versions): string[] {
  return Object.entries(before.responses).flatMap(([status, types]) => {
    const later = after.responses[status]
    if (!later) return [`${name} no longer answers ${status}`]
    return Object.entries(types).flatMap(([type, schema]) =>
      later[type]
        ? compareSchemas(schema, later[type], `${name} ${status}`, 'response', versions)
        : [`${name} ${status} is no longer ${type}`],
    )
  })
}
