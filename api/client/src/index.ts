export type { Dataset, DatasetFilters, DatasetItem, Datasets } from './datasets.ts'
export {
  ConnectionError,
  ProblemError,
  type ProblemTitle,
  WebhookError,
  type WebhookErrorCode,
} from './errors.ts'
export type { InklingEvent, InklingEventType } from './event-types.ts'
export type { Feed, FeedOptions } from './feed.ts'
export {
  Inkling,
  type InklingOptions,
  type Insight,
  type InsightOptions,
  type InsightResult,
  type Receipt,
  type SavedInfo,
  type Upload,
} from './inkling.ts'
export type { CallOptions, Retry } from './transport.ts'
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.ts'
export type { Webhook, WebhookDelivery, Webhooks, WebhookWithSecret } from './webhooks.ts'
