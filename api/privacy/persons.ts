import type { Vault } from '../../db/encryption/vault.ts'
import type { Db } from '../../db/postgres/database.ts'
import { summarisePerson } from '../../db/privacy/find-person.ts'
import { hashPerson } from '../../db/privacy/person.ts'
import { findPrivacyRequest, listPrivacyRequests, requestErasure } from '../../db/privacy/privacy-requests.ts'
import type { Trail } from '../audit/trail.ts'
import { endpoint } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import {
  PersonBody,
  PersonSummaryItem,
  PrivacyRequestItem,
  PrivacyRequestList,
  personOf,
} from './privacy-schemas.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Endpoints that find what is stored of a person, erase it, and list the requests. */
export const persons = ({ db, vault, trail }: { db: Db; vault: Vault; trail: Pick<Trail, 'note'> }) => [
  endpoint({
    method: 'post',
    path: '/api/privacy/v1/persons',
    operationId: 'findPerson',
    idempotency: 'safe',
    tag: 'Privacy',
    summary: 'Counts what is stored of a person',
    description:
      'By client id or by device id. A person may be known by both: ask for each. Recorded in the audit log, which names the person by ' +
      'personHash.',
    credential: { kind: 'either', scope: 'datasets:read', roles: ['admin'] },
    body: PersonBody,
    response: {
      status: 200,
      description: 'Counts; all are 0 if nothing is stored',
      schema: PersonSummaryItem,
    },
    problems: [],
    async act({ caller: { subscriptionId }, actor, body }) {
      const person = personOf(body)
      const personHash = await hashPerson(db, subscriptionId, person)
      const [summary, requests] = await Promise.all([
        summarisePerson(db, vault, subscriptionId, person),
        listPrivacyRequests(db, subscriptionId, personHash),
      ])
      trail.note({
        ...{ subscriptionId, actor, action: 'person.search', subject: personHash },
        detail: { kind: person.kind },
      })
      return { personHash, ...summary, requests }
    },
  }),
  endpoint({
    method: 'post',
    path: '/api/privacy/v1/erasures',
    operationId: 'erasePerson',
    idempotency: 'idempotent',
    tag: 'Privacy',
    summary: 'Erases everything that is stored of a person',
    description:
      'Permanently deletes all datasets that were received under the identifier until now, with their timelines and recorded reads, ' +
      'unfinished collections, and the identifier in velocity: its counter, pairs and times. Datasets and counts of others stay exact. ' +
      'A tombstone of each dataset keeps the time of its upload and a random number; the reference numbers are free again, and requests ' +
      'for them return 404.\n\n' +
      'A worker does it in small steps: showPrivacyRequest has the progress. The erasure of a device waits until datasets that ' +
      'were received before the request are processed, because their device is unknown until then. Datasets received after the request ' +
      'are kept. A repeated request extends a running erasure to the present.\n\n' +
      'The audit log names the person by personHash; its records of earlier views name reference numbers.',
    credential: { kind: 'either', scope: 'datasets:delete', roles: ['admin'] },
    stepUp: 'with_factor',
    body: PersonBody,
    response: { status: 200, description: 'The request, which runs', schema: PrivacyRequestItem },
    problems: [],
    act: ({ caller: { subscriptionId }, actor, body }) =>
      requestErasure(db, { subscriptionId, person: personOf(body), actor }),
  }),
  endpoint({
    method: 'get',
    path: '/api/privacy/v1/requests',
    operationId: 'listPrivacyRequests',
    tag: 'Privacy',
    summary: 'Lists requests to export and erase persons',
    description: 'The newest 200. They name each person by a keyed hash of the identifier alone.',
    credential: { kind: 'either', scope: 'datasets:read', roles: ['admin'] },
    response: { status: 200, description: 'The requests', schema: PrivacyRequestList },
    problems: [],
    act: async ({ caller: { subscriptionId } }) => ({ items: await listPrivacyRequests(db, subscriptionId) }),
  }),
  endpoint({
    method: 'get',
    path: '/api/privacy/v1/requests/:id',
    operationId: 'showPrivacyRequest',
    tag: 'Privacy',
    summary: 'Shows the progress of a request',
    credential: { kind: 'either', scope: 'datasets:read', roles: ['admin'] },
    params: { id: PrivacyRequestItem.shape.id },
    response: { status: 200, description: 'The request', schema: PrivacyRequestItem },
    problems: ['not_found'],
    async act({ caller: { subscriptionId }, params: { id = '' } }) {
      const request = UUID.test(id) ? await findPrivacyRequest(db, subscriptionId, id) : undefined
      if (!request) throw new Problem('not_found')
      return request
    },
  }),
]
