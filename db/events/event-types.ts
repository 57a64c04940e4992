/** Types of events, with a sentence for people. Published: never renamed, only added to. */
export const EVENT_TYPES = {
  'dataset.received': 'A dataset was uploaded, or a collection became one',
  'dataset.ready': 'A dataset was processed for the first time: its insight can be read',
  'dataset.invalid': 'The data of a dataset could not be decoded; `code` says why',
  'dataset.deleted': 'A dataset was deleted, by a person, a key or its retention',
  'insight.recalculated': 'The insight of a dataset was calculated again, as after new Additional Info',
  'scorecard.promoted': 'Another version of a scorecard became the champion',
  'alert.webhook_disabled': 'A webhook was disabled, because its receiver failed for days or is gone',
  'alert.limit_reached': 'A limit of the subscription or of a key was reached for the first time on a day',
  'alert.score_drift': 'The scores of a scorecard have shifted on a day',
  'webhook.test': 'A test that an admin requested; only the webhook itself receives it',
} as const satisfies Record<`${string}.${string}`, string>

export type EventType = keyof typeof EVENT_TYPES
