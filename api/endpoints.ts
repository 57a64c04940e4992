import type { Logger } from 'pino'
import type { SiteKeyCounter } from '../db/collections/site-key-use.ts'
import type { Vault } from '../db/encryption/vault.ts'
import type { DefaultLimits } from '../db/limits/default-limits.ts'
import type { PipelineCounter } from '../db/monitoring/pipeline-counter.ts'
import type { ObjectStore } from '../db/object-store/object-store.ts'
import type { Db } from '../db/postgres/database.ts'
import type { QueueProducer } from '../db/queue/producer.ts'
import { openReach } from '../db/runtime/reach.ts'
import { invitationAcceptance } from './account/accept-invitation.ts'
import { activeSessions } from './account/active-sessions.ts'
import { openBeginSession } from './account/begin-session.ts'
import { browserSession } from './account/browser-session.ts'
import { openCheckLogin } from './account/check-login.ts'
import { openConcurrencyLimit } from './account/concurrency-limit.ts'
import { login } from './account/login.ts'
import { openLoginThrottle } from './account/login-throttle.ts'
import { logout } from './account/logout.ts'
import { passwordChange } from './account/password-change.ts'
import { openPasswords } from './account/password-hashing.ts'
import { refresh } from './account/refresh.ts'
import { BROWSER_TIMES, type BrowserTimes } from './account/session-cookies.ts'
import type { Tokens } from './account/tokens.ts'
import { listAudit } from './audit/list-audit.ts'
import type { Trail } from './audit/trail.ts'
import { appendSegment } from './collections/append-segment.ts'
import { claim } from './collections/claim-collection.ts'
import { openCollecting } from './collections/collecting.ts'
import type { CollectionTokens } from './collections/collection-tokens.ts'
import { completeCollection } from './collections/complete-collection.ts'
import { tokenCreation } from './collections/create-token.ts'
import { openCollection } from './collections/open-collection.ts'
import { withdrawal } from './collections/withdraw-collection.ts'
import { additionalInfo } from './datasets/additional-info.ts'
import { datasetExport } from './datasets/dataset-export.ts'
import { datasetList } from './datasets/dataset-list.ts'
import { datasetRecord } from './datasets/dataset-record.ts'
import { datasetStatus } from './datasets/dataset-status.ts'
import { deletion } from './datasets/deletion.ts'
import { openIntake } from './datasets/intake.ts'
import { reprocess } from './datasets/reprocess.ts'
import { openSaveInfo } from './datasets/save-info.ts'
import { timeline } from './datasets/timeline.ts'
import { upload } from './datasets/upload.ts'
import { openapiDocument } from './docs/openapi-document.ts'
import { feed } from './events/feed.ts'
import type { Challenges } from './factors/challenges.ts'
import { factorLogin } from './factors/factor-login.ts'
import { ownFactors } from './factors/own-factors.ts'
import { policy } from './factors/policy.ts'
import { openRelyingParty } from './factors/relying-party.ts'
import { openRequireSecondFactor } from './factors/require-second-factor.ts'
import { resetFactors } from './factors/reset-factors.ts'
import { stepUp } from './factors/step-up.ts'
import { fragmentDeployment, fragmentList, fragmentOf, fragmentRemoval } from './fragments/fragments.ts'
import { openAdmission } from './http/admission.ts'
import type { Endpoint } from './http/endpoint.ts'
import { datasetInsight } from './insights/dataset-insight.ts'
import { openDatasetWaiter } from './insights/dataset-waiter.ts'
import { explanation } from './insights/explanation.ts'
import { openTexts } from './insights/explanation-texts.ts'
import { insightsBatch } from './insights/insights-batch.ts'
import { insightsByCode } from './insights/insights-by-code.ts'
import { openReadInsight } from './insights/read-insight.ts'
import { openReadInsights } from './insights/read-insights.ts'
import type { ReplicaReads } from './insights/replica-reads.ts'
import { createKey } from './keys/create-key.ts'
import { listKeys } from './keys/list-keys.ts'
import { revokeKey } from './keys/revoke-key.ts'
import type { Limiter } from './limits/limiter.ts'
import { showLimits } from './limits/show-limits.ts'
import type { WebMetrics } from './metrics/web-metrics.ts'
import { healthz, readyz } from './ops/health.ts'
import { reprocessInvalid } from './pipeline/reprocess-invalid.ts'
import { retryOverdue } from './pipeline/retry-overdue.ts'
import { showPipeline } from './pipeline/show-pipeline.ts'
import { personExport } from './privacy/person-export.ts'
import { persons } from './privacy/persons.ts'
import { retention } from './privacy/retention.ts'
import { captureExamples } from './reference/capture-examples.ts'
import { captureSchema } from './reference/capture-schema.ts'
import { features } from './reference/features.ts'
import { openJudge } from './scorecards/judge-definition.ts'
import { scoreDistribution } from './scorecards/score-distribution.ts'
import { scorecardDefinition } from './scorecards/scorecard-definition.ts'
import { scorecardDraft } from './scorecards/scorecard-draft.ts'
import { scorecardList } from './scorecards/scorecard-list.ts'
import { scorecardSummary } from './scorecards/scorecard-summary.ts'
import { stability } from './scorecards/stability.ts'
import { rollback, stageChange } from './scorecards/stages.ts'
import { newTrial, trialList, trialOf } from './scorecards/trials.ts'
import { changeSiteKey } from './site-keys/change-site-key.ts'
import { createSiteKey } from './site-keys/create-site-key.ts'
import { listSiteKeys } from './site-keys/list-site-keys.ts'
import { revokeSiteKey } from './site-keys/revoke-site-key.ts'
import { rotateSiteKey } from './site-keys/rotate-site-key.ts'
import { openAttempts } from './sso/attempts.ts'
import { manageSso } from './sso/manage-sso.ts'
import { openProviders } from './sso/providers.ts'
import { ssoCallback } from './sso/sso-callback.ts'
import { ssoSignOut } from './sso/sso-sign-out.ts'
import { ssoStart } from './sso/sso-start.ts'
import { ssoStepUp } from './sso/sso-step-up.ts'
import { makeCaptures } from './test-mode/make-captures.ts'
import { changeUser } from './users/change-user.ts'
import { deleteUser } from './users/delete-user.ts'
import { inviteUser } from './users/invite-user.ts'
import { listUsers } from './users/list-users.ts'
import { renewInvitation } from './users/renew-invitation.ts'
import { webhooks } from './webhooks/webhooks.ts'

/** Stores and services that the endpoints use. */
export interface Stores {
  readonly db: Db
  readonly vault: Vault
  /** Object storage of captures, if it is used. */
  readonly captures?: Pick<ObjectStore, 'check'> | undefined
  readonly producer: QueueProducer
  readonly tokens: Tokens
  readonly collectionTokens: CollectionTokens
  readonly challenges: Challenges
  readonly log: Logger
  readonly trail: Trail
  /** Counts each upload. */
  readonly counts: Pick<PipelineCounter, 'countUpload'>
  /** Counts the use of site keys. */
  readonly siteKeyUse: Pick<SiteKeyCounter, 'add'>
  readonly limiter: Limiter
  /** Counts requests and commits of uploads. */
  readonly metrics?: WebMetrics | undefined
  /** Without it, the primary answers every read. */
  readonly replicaReads?: ReplicaReads | undefined
}

/** Options of the endpoints. */
export interface EndpointOptions {
  readonly insightWaitMs: number
  /** Path to which pages send collections; `/c` by default. */
  readonly collectionPath?: string
  /** Address of the portal, which passkeys are bound to; without it, they work on localhost only. */
  readonly publicUrl?: string | undefined
  /** Limits of subscriptions and keys without their own; none by default. */
  readonly limits?: DefaultLimits
  /** Networks other than the Internet in which OpenID providers may be; undefined: any, also without TLS on this machine. */
  readonly ssoPrivateNetworks?: readonly string[] | undefined
  /** As `ssoPrivateNetworks`, for receivers of webhooks. */
  readonly webhookPrivateNetworks?: readonly string[] | undefined
  /** Lifetimes of browser sessions; by default tokens of 10 minutes and an idle timeout of 30 minutes. */
  readonly browserTimes?: BrowserTimes
}

/** Limits of collecting, apart from those of uploads, so that neither takes the other's capacity: bodies are small. */
const COLLECTING_BOUNDS = { requests: 1_024, bytes: 32 * 1024 * 1024 }

/** Lists every endpoint; within a tag, the OpenAPI document has the same order. */
export function listEndpoints(stores: Stores, options: EndpointOptions): Endpoint[] {
  const { insightWaitMs, browserTimes = BROWSER_TIMES, collectionPath = '/c' } = options
  const { db, tokens, trail } = stores
  const saveInfo = openSaveInfo(stores)
  const sessions = openConcurrencyLimit()
  const logins = {
    db,
    trail,
    passwords: openPasswords(),
    throttle: openLoginThrottle(db),
    limitConcurrency: openConcurrencyLimit(),
  }
  const factors = {
    ...logins,
    vault: stores.vault,
    challenges: stores.challenges,
    findRelyingParty: openRelyingParty(options.publicUrl),
  }
  const requireSecondFactor = openRequireSecondFactor(factors)
  const checkLogin = openCheckLogin(logins, requireSecondFactor)
  const beginSession = openBeginSession(db, { tokens, times: browserTimes, trail })
  const sso = {
    ...{ ...factors, beginSession, requireSecondFactor, limitConcurrency: sessions },
    providers: openProviders(stores, openReach(options.ssoPrivateNetworks)),
    attempts: openAttempts(stores),
  }
  const findTexts = openTexts(db)
  const waiter = openDatasetWaiter(stores)
  const readInsight = openReadInsight(stores, waiter, insightWaitMs)
  const readInsights = openReadInsights(stores, waiter, insightWaitMs)
  const collecting = openCollecting(stores)
  const admission = openAdmission(COLLECTING_BOUNDS)
  const storing = { intake: openIntake(stores), limiter: stores.limiter, admission: openAdmission() }
  const endpoints = [
    upload({ ...storing, saveInfo }),
    additionalInfo(saveInfo),
    insightsBatch(readInsights, stores.limiter, insightWaitMs), // before the path with a reference number
    insightsByCode(readInsight, insightWaitMs),
    login(checkLogin, beginSession),
    datasetInsight(readInsight, insightWaitMs),
    ...factorLogin(factors, beginSession),
    ...browserSession({
      db,
      tokens,
      times: browserTimes,
      checkLogin,
      beginSession,
      limitConcurrency: sessions,
    }),
    refresh(db, tokens, sessions),
    logout(db, sessions),
    ...activeSessions(db),
    passwordChange(logins),
    invitationAcceptance(logins),
    ...ownFactors(factors),
    ...stepUp(factors),
    ssoStart(sso),
    ssoCallback(sso),
    ssoStepUp(sso),
    ssoSignOut(sso),
    ...datasetList(db, trail),
    ...datasetExport(stores, findTexts),
    datasetRecord(stores),
    datasetStatus(db),
    deletion(db),
    timeline(db),
    reprocess(stores),
    openCollection({ path: collectionPath, ...stores, collecting, admission }),
    appendSegment(collectionPath, collecting, admission),
    completeCollection(collectionPath, { ...stores, collecting, admission }),
    withdrawal(collectionPath, db),
    tokenCreation(stores.collectionTokens),
    claim(stores, saveInfo, collecting),
    feed(db),
    ...webhooks(stores, openReach(options.webhookPrivateNetworks)),
    explanation(readInsight, findTexts, insightWaitMs),
    scoreDistribution(db),
    listKeys(db),
    createKey(db),
    revokeKey(db),
    showLimits(db, options.limits),
    listSiteKeys(db),
    createSiteKey(db),
    changeSiteKey(db),
    rotateSiteKey(db),
    revokeSiteKey(db),
    listUsers(db),
    inviteUser(db),
    changeUser(db),
    renewInvitation(db),
    resetFactors(db),
    ...manageSso(sso),
    ...policy(db),
    deleteUser(db),
    ...persons(stores),
    personExport(stores),
    ...retention(db),
    listAudit(db),
    scorecardList(db),
    scorecardDefinition(db),
    scorecardSummary(db),
    scorecardDraft(db, openJudge()),
    trialList(db),
    trialOf(db),
    newTrial(db),
    stability(db),
    stageChange(db),
    rollback(db),
    fragmentList(db),
    fragmentOf(db),
    fragmentDeployment(db),
    fragmentRemoval(db),
    showPipeline(db),
    retryOverdue(stores),
    reprocessInvalid(stores),
    makeCaptures(storing),
    features(),
    captureSchema(),
    ...captureExamples(),
    healthz(),
    readyz(stores),
  ]
  return [...endpoints, openapiDocument(endpoints)]
}
