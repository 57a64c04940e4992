/** Types of events; later versions may add types. */
export type InklingEventType =
  | 'dataset.received'
  | 'dataset.ready'
  | 'dataset.invalid'
  | 'dataset.deleted'
  | 'insight.recalculated'
  | 'scorecard.promoted'
  | 'alert.webhook_disabled'
  | 'alert.limit_reached'
  | 'alert.score_drift'
  | 'webhook.test'
  | (string & {})

/** An event of the subscription: an item of the feed, or a webhook. */
export interface InklingEvent {
  /** Unique: `evt_…`. An event that arrives again has the same id. */
  readonly id: string
  readonly type: InklingEventType
  /** When it happened; ISO 8601, UTC. */
  readonly timestamp: string
  /** Facts of the event; those of datasets have `referenceNumber`. */
  readonly data: { readonly referenceNumber?: string; readonly [member: string]: unknown }
}
