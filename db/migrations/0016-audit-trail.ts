import type { Knex } from 'knex'

/**
 * Adds the kind and id of the caller to records, which named callers by a text alone, and the address and outcome of audit
 * events. All are null in records of earlier versions.
 *
 * Only adds columns without a default to evaluate: no table is rewritten, and processes of the previous version go on.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table audit_events
      add column actor_kind text check (actor_kind in ('user', 'key', 'operator', 'service')),
      add column actor_id bigint,
      add column address text,
      add column outcome text not null default 'success' check (outcome in ('success', 'failure', 'denied'));
    alter table dataset_events
      add column actor_kind text,
      add column actor_id bigint;
    alter table score_history
      add column actor_kind text,
      add column actor_id bigint;
    alter table insight_requests
      add column requestor_kind text,
      add column requestor_id bigint;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table insight_requests drop column requestor_kind, drop column requestor_id;
    alter table score_history drop column actor_kind, drop column actor_id;
    alter table dataset_events drop column actor_kind, drop column actor_id;
    alter table audit_events drop column actor_kind, drop column actor_id, drop column address, drop column outcome;
  `)
}
