import Koa from 'koa'
import { NO_DEFAULTS } from '../db/limits/default-limits.ts'
import { openAuthentication } from './account/authentication.ts'
import { openDrainReader } from './autoscaling/read-drain.ts'
import { serveAutoscaling } from './autoscaling/serve-autoscaling.ts'
import { openPageAuthentication } from './collections/page-authentication.ts'
import { serveDocs } from './docs/docs-page.ts'
import { serveProblems } from './docs/serve-problems.ts'
import { type EndpointOptions, listEndpoints, type Stores } from './endpoints.ts'
import { openRequireStepUp } from './factors/require-step-up.ts'
import { openAddresses } from './http/addresses.ts'
import { handleErrors } from './http/error-handler.ts'
import { logRequests } from './http/log-requests.ts'
import { mountEndpoints } from './http/mount-endpoints.ts'
import { rejectMalformed } from './http/reject-malformed.ts'
import { identifyRequests } from './http/request-id.ts'
import type { RequestState } from './http/request-state.ts'
import { setSecurityHeaders } from './http/security-headers.ts'
import { servePortal } from './http/serve-portal.ts'
import { serveSdk } from './http/serve-sdk.ts'
import { traceRequests } from './http/trace-requests.ts'
import { openOperatorAccounts } from './ops/operator-accounts.ts'
import { openOperatorAuthentication } from './ops/operator-authentication.ts'
import type { Ops } from './ops/ops.ts'
import { serveOps } from './ops/serve-ops.ts'
import { openModes } from './test-mode/modes.ts'

/** Options of the API. */
export interface AppOptions extends EndpointOptions {
  readonly maxBodyBytes: number
  /** Whether traces are recorded. */
  readonly isTraced?: boolean
  /** Addresses and networks of the proxies that may forward the address of a client. */
  readonly trustedProxies: readonly string[]
  /** Name of the header in which they send it, in lower case; `x-real-ip` by default. */
  readonly addressHeader?: string | undefined
  /** Settings of the operators' pages. */
  readonly ops: { readonly sharedPassword: string | undefined } & Pick<Ops, 'queue' | 'location'>
  /** Credential of autoscalers; without it, their paths are disabled. */
  readonly autoscaleToken?: string | undefined
}

/** Builds the Koa application; a request passes the middleware from top to bottom. */
export function buildApp(stores: Stores, options: AppOptions): Koa<RequestState> {
  const publicOrigin = options.publicUrl && new URL(options.publicUrl).origin
  const readDrain = openDrainReader(stores.db)
  const findAddresses = openAddresses(options.trustedProxies, options.addressHeader)
  const app = new Koa<RequestState>()
  app.silent = true // errors after the response began end the connection; the request's log line reports them
  app.use(identifyRequests)
  if (options.isTraced) app.use(traceRequests())
  app.use(logRequests(stores.log, stores.metrics))
  app.use(setSecurityHeaders)
  app.use(handleErrors(publicOrigin))
  app.use(rejectMalformed)
  app.use(
    mountEndpoints(listEndpoints(stores, options), {
      authenticate: openAuthentication(stores.db, stores.tokens),
      authenticatePage: openPageAuthentication(stores.db, stores.siteKeyUse),
      requireStepUp: openRequireStepUp(stores.db),
      enterMode: openModes(stores.db),
      findAddresses,
      maxBodyBytes: options.maxBodyBytes,
      trail: stores.trail,
      limiter: stores.limiter,
    }),
  )
  app.use(serveDocs())
  app.use(serveProblems())
  app.use(
    serveOps({
      ...options.ops,
      ...{ db: stores.db, producer: stores.producer, challenges: stores.challenges },
      limits: options.limits ?? NO_DEFAULTS,
      readDrain,
      publicOrigin,
      authenticateOperator: openOperatorAuthentication(
        { sharedPassword: options.ops.sharedPassword, accounts: openOperatorAccounts(stores.db) },
        findAddresses,
        stores.trail,
      ),
    }),
  )
  app.use(serveAutoscaling({ token: options.autoscaleToken, readDrain }))
  app.use(serveSdk())
  app.use(servePortal())
  return app
}
