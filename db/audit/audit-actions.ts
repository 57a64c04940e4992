/**
 * Everything that is recorded in the audit log, with a sentence for people: the thing, a dot, and what was done to it. The
 * one list of them; whoever records something new adds it here. Published: never renamed.
 *
 * `subject` is what the sentence is about; `detail` holds what else is worth telling, never a secret.
 */
export const AUDIT_ACTIONS = {
  'dataset.delete': 'Deleted a dataset',
  'dataset.reprocess': 'Asked for datasets to be processed again',
  'dataset.rescore': 'Asked for datasets to be scored again',
  'dataset.retry': 'Told workers again of datasets that waited too long',
  'fragment.deploy': 'Deployed a fragment',
  'fragment.remove': 'Removed a fragment',
  'key.create': 'Created an API key',
  'key.revoke': 'Revoked an API key',
  'retention.data': 'Removed uploaded data that was kept long enough',
  'retention.datasets': 'Deleted datasets that were kept long enough',
  'scorecard.challenge': 'Made a scorecard challenger',
  'scorecard.deploy': 'Deployed a scorecard',
  'scorecard.draft': 'Saved a scorecard as a draft',
  'scorecard.promote': 'Promoted a scorecard to champion',
  'scorecard.retire': 'Retired a scorecard',
  'scorecard.rollback': 'Brought the scorecard before back',
  'subscription.create': 'Created the subscription',
  'subscription.resume': 'Resumed the subscription',
  'subscription.retention': 'Changed how long datasets are kept',
  'subscription.suspend': 'Suspended the subscription',
  'user.accept': 'Set a password by the link of an invitation',
  'user.create': 'Created a user',
  'user.delete': 'Deleted a user',
  'user.disable': 'Disabled a user',
  'user.enable': 'Enabled a user',
  'user.invite': 'Invited a user',
  'user.password': 'Changed the own password',
  'user.reset': 'Made a new link for a user to set a password',
  'user.role': 'Changed the role of a user',
} as const satisfies Record<`${string}.${string}`, string>

export type AuditAction = keyof typeof AUDIT_ACTIONS
