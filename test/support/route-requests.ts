import { REFRESH_COOKIE } from '../../api/account/session-cookies.ts'
import type { Endpoint } from '../../api/http/endpoint.ts'
import type { PersonCall } from '../../db/privacy/privacy-requests.ts'
import { anActor } from './actors.ts'
import { anUpload } from './captures.ts'
import type { FactorSubject } from './factor-subject.ts'
import { anOpening, aSegment, ORIGIN } from './pages.ts'
import { aScorecardDefinition } from './scorecards.ts'
import type { SsoSubject } from './sso/sso-subject.ts'
import type { StagedScorecard } from './staged-scorecard.ts'

/** Resources of a subscription for the requests. */
export interface Subject extends FactorSubject, SsoSubject {
  /** Reference number of a dataset. */
  readonly referenceNumber: string
  readonly userEmail: string
  readonly password: string
  readonly refreshToken: string
  /** Refresh token of a browser's session. */
  readonly refreshCookie: string
  /** Id of an API key that no other request uses. */
  readonly keyId: number
  /** Id of a live site key that no other request uses. */
  readonly siteKeyId: number
  /** Id of a webhook that no other request uses. */
  readonly webhookId: number
  readonly scorecard: StagedScorecard
  /** A site key of level claimed. */
  readonly siteKey: string
  /** Public id of a collection with its first segment, which no other request uses. */
  readonly collection: string
  /** Id of a user that no other request uses. */
  readonly userId: number
  /** Token of that user's link to set a password. */
  readonly invitation: string
  /** Id of a request to export or erase a person. */
  readonly privacyRequestId: string
}

/** The path and body of a request. */
export interface RouteRequest {
  readonly path: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

/** Headers of the portal's requests, without which cookies are ignored. */
export const FROM_PORTAL = { 'X-Inkling-Portal': '1', 'Sec-Fetch-Site': 'same-origin' }

/** Returns the name of a route, as in `GET /a/:name`. */
export const nameOfRoute = ({ method, path }: Endpoint): string => `${method.toUpperCase()} ${path}`

/** A client id of which nothing is stored. */
const A_PERSON = { clientId: 'nobody' }

/** A request about a person of whom nothing is stored. */
export const aPersonCall = (subscriptionId: number): PersonCall => ({
  ...{ subscriptionId, person: { kind: 'client', id: 'nobody' }, actor: anActor('test') },
})

/** Reads the reference number only where the path has one: tests then open no dataset for the others. */
const at = (pattern: string) => (subject: Subject) => ({
  path: pattern.replace(':referenceNumber', () => encodeURIComponent(subject.referenceNumber)),
})

const ofWebhook =
  (path = '', body?: object) =>
  ({ webhookId }: Subject): RouteRequest => ({
    path: `/api/webhooks/v1/${webhookId}${path}`,
    ...(body && { body }),
  })

/** Returns requests for a scorecard or for the fragment of the same code. */
const under =
  (pattern: string, bodyOf?: (scorecard: StagedScorecard) => object) =>
  ({ scorecard }: Subject): RouteRequest => ({
    path: pattern
      .replace(':code', scorecard.code)
      .replace(':version', scorecard.version)
      .replace(':id', String(scorecard.trialId)),
    ...(bodyOf && { body: bodyOf(scorecard) }),
  })

/**
 * A valid request for each route, sent with the credential that the route requires. Add one for every new route: tests
 * that iterate over all routes then include it.
 */
export const REQUESTS: Readonly<Record<string, (subject: Subject) => RouteRequest>> = {
  'POST /api/account/v1/login': ({ userEmail, password }) => ({
    path: '/api/account/v1/login',
    body: { userEmail, password },
  }),
  'POST /api/account/v1/refresh': ({ refreshToken }) => ({
    path: '/api/account/v1/refresh',
    body: { refresh_token: refreshToken },
  }),
  'POST /api/account/v1/logout': ({ refreshToken }) => ({
    path: '/api/account/v1/logout',
    body: { refresh_token: refreshToken },
  }),
  'POST /api/account/v1/session': ({ userEmail, password }) => ({
    path: '/api/account/v1/session',
    body: { userEmail, password },
    headers: FROM_PORTAL,
  }),
  'GET /api/account/v1/session': () => ({ path: '/api/account/v1/session' }),
  'POST /api/account/v1/session/refresh': ({ refreshCookie }) => ({
    path: '/api/account/v1/session/refresh',
    headers: { ...FROM_PORTAL, Cookie: `${REFRESH_COOKIE}=${refreshCookie}` },
  }),
  'DELETE /api/account/v1/session': ({ refreshToken }) => ({
    path: '/api/account/v1/session',
    headers: { ...FROM_PORTAL, Cookie: `${REFRESH_COOKIE}=${refreshToken}` },
  }),
  'GET /api/account/v1/sessions': () => ({ path: '/api/account/v1/sessions' }),
  'DELETE /api/account/v1/sessions/:id': () => ({ path: `/api/account/v1/sessions/${crypto.randomUUID()}` }),
  'DELETE /api/account/v1/sessions': () => ({ path: '/api/account/v1/sessions' }),
  'POST /api/account/v1/password': ({ password }) => ({
    path: '/api/account/v1/password',
    body: { currentPassword: password, newPassword: `${password} and more` },
  }),
  'POST /api/account/v1/invitation': ({ invitation, password }) => ({
    path: '/api/account/v1/invitation',
    body: { token: invitation, password },
  }),
  'POST /api/account/v1/login/passkey': () => ({ path: '/api/account/v1/login/passkey' }),
  'POST /api/account/v1/login/factor': ({ factorAnswer }) => ({
    path: '/api/account/v1/login/factor',
    body: factorAnswer,
  }),
  'POST /api/account/v1/session/factor': ({ factorAnswer }) => ({
    path: '/api/account/v1/session/factor',
    body: factorAnswer,
    headers: FROM_PORTAL,
  }),
  'GET /api/account/v1/factors': () => ({ path: '/api/account/v1/factors' }),
  'POST /api/account/v1/factors/totp': () => ({ path: '/api/account/v1/factors/totp' }),
  'POST /api/account/v1/factors/passkey': () => ({ path: '/api/account/v1/factors/passkey' }),
  'POST /api/account/v1/factors': ({ factorRegistration }) => ({
    path: '/api/account/v1/factors',
    body: factorRegistration,
  }),
  'PATCH /api/account/v1/factors/:id': ({ factorId }) => ({
    path: `/api/account/v1/factors/${factorId}`,
    body: { name: 'Old telephone' },
  }),
  'DELETE /api/account/v1/factors/:id': ({ factorId }) => ({ path: `/api/account/v1/factors/${factorId}` }),
  'POST /api/account/v1/recovery-codes': () => ({ path: '/api/account/v1/recovery-codes' }),
  'POST /api/account/v1/step-up/passkey': () => ({ path: '/api/account/v1/step-up/passkey' }),
  'POST /api/account/v1/step-up': ({ totp }) => ({
    path: '/api/account/v1/step-up',
    body: { totp },
  }),
  'GET /api/account/v1/sso/start': ({ ssoId }) => ({ path: `/api/account/v1/sso/start?connection=${ssoId}` }),
  'GET /api/account/v1/sso/callback/:connection': ({ ssoId }) => ({
    path: `/api/account/v1/sso/callback/${ssoId}?code=any&state=any`,
  }),
  'POST /api/account/v1/step-up/sso': () => ({ path: '/api/account/v1/step-up/sso' }),
  'POST /api/account/v1/sso/sign-out': () => ({ path: '/api/account/v1/sso/sign-out' }),
  'POST /api/datasets/v1/upload': () => ({ path: '/api/datasets/v1/upload', body: anUpload() }),
  'POST /api/datasets/v1/additionalinfo': ({ referenceNumber }) => ({
    path: '/api/datasets/v1/additionalinfo',
    body: { referenceNumber, additionalInfo: { [`key-${crypto.randomUUID()}`]: 'value' } },
  }),
  'POST /c/open': ({ siteKey }) => ({
    path: `/c/open?k=${siteKey}`,
    body: anOpening(),
    headers: { Origin: ORIGIN },
  }),
  'POST /c': ({ collection }) => ({ path: `/c?c=${collection}&n=1`, body: aSegment(1) }),
  'POST /c/complete': ({ collection }) => ({ path: `/c/complete?c=${collection}`, body: { segments: 1 } }),
  'POST /c/withdraw': ({ collection }) => ({ path: `/c/withdraw?c=${collection}` }),
  'POST /api/collections/v1/tokens': () => ({
    path: '/api/collections/v1/tokens',
    body: { referenceNumber: `LN-${crypto.randomUUID()}`, origin: ORIGIN },
  }),
  'POST /api/collections/v1/claims': ({ collection }) => ({
    path: '/api/collections/v1/claims',
    body: { collection, referenceNumber: `LN-${crypto.randomUUID()}` },
  }),
  'GET /api/datasets/v1': at('/api/datasets/v1'),
  'POST /api/datasets/v1/search': () => ({ path: '/api/datasets/v1/search', body: {} }),
  'GET /api/exports/v1/datasets': at('/api/exports/v1/datasets'),
  'POST /api/exports/v1/datasets': () => ({ path: '/api/exports/v1/datasets', body: {} }),
  'GET /api/datasets/v1/:referenceNumber': at('/api/datasets/v1/:referenceNumber'),
  'DELETE /api/datasets/v1/:referenceNumber': at('/api/datasets/v1/:referenceNumber'),
  'GET /api/datasets/v1/:referenceNumber/status': at('/api/datasets/v1/:referenceNumber/status'),
  'GET /api/datasets/v1/:referenceNumber/timeline': at('/api/datasets/v1/:referenceNumber/timeline'),
  'POST /api/datasets/v1/:referenceNumber/reprocess': at('/api/datasets/v1/:referenceNumber/reprocess'),
  'GET /v6.0/datasets/:referenceNumber/datasetinsight': at('/v6.0/datasets/:referenceNumber/datasetinsight'),
  'GET /api/insights/v1/:referenceNumber': at('/api/insights/v1/:referenceNumber'),
  'POST /api/insights/v1/batch': ({ referenceNumber }) => ({
    path: '/api/insights/v1/batch',
    body: { referenceNumbers: [referenceNumber] },
  }),
  'GET /api/insights/v1/:referenceNumber/explanation': at('/api/insights/v1/:referenceNumber/explanation'),
  'GET /api/events/v1': at('/api/events/v1'),
  'GET /api/webhooks/v1': at('/api/webhooks/v1'),
  'POST /api/webhooks/v1': () => ({
    path: '/api/webhooks/v1',
    body: { label: 'backend', url: 'https://backend.example/hooks' },
  }),
  'GET /api/webhooks/v1/:id': ofWebhook(),
  'PATCH /api/webhooks/v1/:id': ofWebhook('', { label: 'another backend' }),
  'DELETE /api/webhooks/v1/:id': ofWebhook(),
  'POST /api/webhooks/v1/:id/secrets': ofWebhook('/secrets', { overlapHours: 0 }),
  'POST /api/webhooks/v1/:id/test': ofWebhook('/test'),
  'POST /api/webhooks/v1/:id/replay': ofWebhook('/replay', { since: '2026-11-20', until: '2026-11-21' }),
  'GET /api/webhooks/v1/:id/deliveries': ofWebhook('/deliveries'),
  'GET /api/scores/v1/distribution': at('/api/scores/v1/distribution?code=demo_mobile'),
  'GET /api/keys/v1': at('/api/keys/v1'),
  'POST /api/keys/v1': () => ({ path: '/api/keys/v1', body: { label: 'loan backend', role: 'uploader' } }),
  'DELETE /api/keys/v1/:id': ({ keyId }) => ({ path: `/api/keys/v1/${keyId}` }),
  'GET /api/limits/v1': at('/api/limits/v1'),
  'POST /api/test/v1/captures': () => ({ path: '/api/test/v1/captures', body: { platform: 'android' } }),
  'GET /api/site-keys/v1': at('/api/site-keys/v1'),
  'POST /api/site-keys/v1': () => ({
    path: '/api/site-keys/v1',
    body: { label: 'shop', origins: ['https://shop.example'] },
  }),
  'PATCH /api/site-keys/v1/:id': ({ siteKeyId }) => ({
    path: `/api/site-keys/v1/${siteKeyId}`,
    body: { origins: ['https://shop.example', 'https://www.shop.example'] },
  }),
  'POST /api/site-keys/v1/:id/rotate': ({ siteKeyId }) => ({
    path: `/api/site-keys/v1/${siteKeyId}/rotate`,
    body: { overlapHours: 0 },
  }),
  'DELETE /api/site-keys/v1/:id': ({ siteKeyId }) => ({ path: `/api/site-keys/v1/${siteKeyId}` }),
  'GET /api/users/v1': at('/api/users/v1'),
  'POST /api/users/v1': () => ({
    path: '/api/users/v1',
    body: { userEmail: `${crypto.randomUUID()}@lender.example`, role: 'analyst' },
  }),
  'PATCH /api/users/v1/:id': ({ userId }) => ({ path: `/api/users/v1/${userId}`, body: { role: 'analyst' } }),
  'DELETE /api/users/v1/:id': ({ userId }) => ({ path: `/api/users/v1/${userId}` }),
  'POST /api/users/v1/:id/invitation': ({ userId }) => ({ path: `/api/users/v1/${userId}/invitation` }),
  'DELETE /api/users/v1/:id/factors': ({ userId }) => ({ path: `/api/users/v1/${userId}/factors` }),
  'GET /api/sso/v1': at('/api/sso/v1'),
  'PUT /api/sso/v1': ({ ssoChange }) => ({ path: '/api/sso/v1', body: ssoChange }),
  'DELETE /api/sso/v1': at('/api/sso/v1'),
  'GET /api/policy/v1': at('/api/policy/v1'),
  'PATCH /api/policy/v1': () => ({ path: '/api/policy/v1', body: { fourEyes: false } }),
  'POST /api/privacy/v1/persons': () => ({ path: '/api/privacy/v1/persons', body: A_PERSON }),
  'POST /api/privacy/v1/exports': () => ({ path: '/api/privacy/v1/exports', body: A_PERSON }),
  'POST /api/privacy/v1/erasures': () => ({ path: '/api/privacy/v1/erasures', body: A_PERSON }),
  'GET /api/privacy/v1/requests': at('/api/privacy/v1/requests'),
  'GET /api/privacy/v1/requests/:id': ({ privacyRequestId }) => ({
    path: `/api/privacy/v1/requests/${privacyRequestId}`,
  }),
  'GET /api/privacy/v1/retention': at('/api/privacy/v1/retention'),
  'PATCH /api/privacy/v1/retention': () => ({
    path: '/api/privacy/v1/retention',
    body: { datasetDays: 'forever' },
  }),
  'GET /api/audit/v1': at('/api/audit/v1'),
  'GET /api/scorecards/v1': at('/api/scorecards/v1'),
  'GET /api/scorecards/v1/:version': under('/api/scorecards/v1/:version'),
  'GET /api/scorecards/v1/:version/summary': under('/api/scorecards/v1/:version/summary'),
  'POST /api/scorecards/v1/:code/versions': under('/api/scorecards/v1/:code/versions', () => ({
    definition: aScorecardDefinition({ name: crypto.randomUUID() }),
    captures: 1,
  })),
  'GET /api/scorecards/v1/:code/stability': under('/api/scorecards/v1/:code/stability?version=:version'),
  'GET /api/scorecards/v1/:code/trials': under('/api/scorecards/v1/:code/trials?version=:version'),
  'GET /api/scorecards/v1/:code/trials/:id': under('/api/scorecards/v1/:code/trials/:id'),
  'POST /api/scorecards/v1/:code/trials': under('/api/scorecards/v1/:code/trials', ({ version }) => ({
    version,
    captures: 1,
  })),
  'POST /api/scorecards/v1/:code/stage': under('/api/scorecards/v1/:code/stage', ({ version }) => ({
    version,
    action: 'retire',
  })),
  'POST /api/scorecards/v1/:code/rollback': under('/api/scorecards/v1/:code/rollback'),
  'GET /api/fragments/v1': at('/api/fragments/v1'),
  'GET /api/fragments/v1/:code': under('/api/fragments/v1/:code'),
  'PUT /api/fragments/v1/:code': under('/api/fragments/v1/:code', () => ({ kind: 'velocity' })),
  'DELETE /api/fragments/v1/:code': under('/api/fragments/v1/:code'),
  'GET /api/pipeline/v1': at('/api/pipeline/v1'),
  'POST /api/pipeline/v1/retry': at('/api/pipeline/v1/retry'),
  'POST /api/pipeline/v1/reprocess': () => ({
    path: '/api/pipeline/v1/reprocess',
    body: { status: 'invalid' },
  }),
  'GET /features': at('/features'),
  'GET /schemas/capture-1.json': at('/schemas/capture-1.json'),
  'GET /schemas/capture-1/examples/android.json': at('/schemas/capture-1/examples/android.json'),
  'GET /schemas/capture-1/examples/ios.json': at('/schemas/capture-1/examples/ios.json'),
  'GET /schemas/capture-1/examples/web.json': at('/schemas/capture-1/examples/web.json'),
  'GET /healthz': at('/healthz'),
  'GET /readyz': at('/readyz'),
  'GET /openapi.json': at('/openapi.json'),
}
