/**
 * All actions of the audit log, named by thing, dot and verb, with a sentence for people. Add new actions here. Published: never
 * renamed.
 *
 * An event's `subject` names the thing; its `detail` has further attributes, never a secret.
 */
export const AUDIT_ACTIONS = {
  'data_key.destroy': 'Destroyed the keys of the encrypted data',
  'dataset.delete': 'Deleted a dataset',
  'dataset.reprocess': 'Requested reprocessing of datasets',
  'dataset.rescore': 'Requested rescoring of datasets',
  'dataset.retry': 'Enqueued overdue datasets again',
  'factor.add': 'Added a second factor',
  'factor.codes': 'Created new recovery codes',
  'factor.recovery': 'Signed in with a recovery code',
  'factor.remove': 'Removed a second factor',
  'factor.rename': 'Renamed a second factor',
  'factor.reset': 'Removed all second factors of a user',
  'fragment.deploy': 'Deployed a fragment',
  'fragment.remove': 'Removed a fragment',
  'key.create': 'Created an API key',
  'key.revoke': 'Revoked an API key',
  'policy.change': 'Changed the policy of the subscription',
  'retention.data': 'Removed uploaded data past its retention',
  'retention.datasets': 'Deleted datasets past their retention',
  'scorecard.challenge': 'Set a scorecard as challenger',
  'scorecard.deploy': 'Deployed a scorecard',
  'scorecard.draft': 'Saved a scorecard as a draft',
  'scorecard.promote': 'Promoted a scorecard to champion',
  'scorecard.resume': 'Resumed a suspended scorecard',
  'scorecard.retire': 'Retired a scorecard',
  'scorecard.rollback': 'Rolled back scorecard',
  'scorecard.suspend': 'Suspended a scorecard that took too long',
  'site_key.change': 'Changed a site key',
  'site_key.create': 'Created a site key',
  'site_key.revoke': 'Revoked a site key',
  'site_key.rotate': 'Rotated a site key',
  'subscription.create': 'Created the subscription',
  'subscription.resume': 'Resumed the subscription',
  'subscription.retention': 'Changed the retention of datasets',
  'subscription.suspend': 'Suspended the subscription',
  'user.accept': 'Set a password with an invitation link',
  'user.create': 'Created a user',
  'user.delete': 'Deleted a user',
  'user.disable': 'Disabled a user',
  'user.enable': 'Enabled a user',
  'user.invite': 'Invited a user',
  'user.password': 'Changed their own password',
  'user.reset': 'Created a link to reset a password',
  'user.role': 'Changed the role of a user',
} as const satisfies Record<`${string}.${string}`, string>

export type AuditAction = keyof typeof AUDIT_ACTIONS
