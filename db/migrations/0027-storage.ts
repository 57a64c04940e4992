import type { Knex } from 'knex'

/**
 * Sets how new rows are stored, and when tables are vacuumed. Rewrites nothing, and waits for no read or write: rows of before stay as
 * they are until they change. See docs/scale.md for the measurements.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- the blob is stored out of line, everything else in the row: five small values of each row had a TOAST entry of their own.
    -- Each settled dataset leaves a dead row, and each removed blob eight dead chunks of 2 KB: a fifth of the table is too late
    alter table datasets set (
      toast_tuple_target = 1024,
      autovacuum_vacuum_scale_factor = 0.05,
      autovacuum_analyze_scale_factor = 0.02,
      toast.autovacuum_vacuum_scale_factor = 0.02,
      toast.autovacuum_vacuum_insert_scale_factor = 0.05
    );
    -- rows are only inserted, so a vacuum reads new pages alone: often costs no more in all, and no vacuum is long
    alter table insights set (autovacuum_vacuum_insert_scale_factor = 0.02);
    alter table dataset_events set (autovacuum_vacuum_insert_scale_factor = 0.02);
    alter table insight_requests set (autovacuum_vacuum_insert_scale_factor = 0.02);
    -- counts change in place where their page has room
    alter table devices set (fillfactor = 90);
    alter table clients set (fillfactor = 90);
    alter table score_counts set (fillfactor = 50);
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table score_counts reset (fillfactor);
    alter table clients reset (fillfactor);
    alter table devices reset (fillfactor);
    alter table insight_requests reset (autovacuum_vacuum_insert_scale_factor);
    alter table dataset_events reset (autovacuum_vacuum_insert_scale_factor);
    alter table insights reset (autovacuum_vacuum_insert_scale_factor);
    alter table datasets reset (
      autovacuum_vacuum_scale_factor, autovacuum_analyze_scale_factor,
      toast.autovacuum_vacuum_scale_factor, toast.autovacuum_vacuum_insert_scale_factor
    );
    alter table datasets set (toast_tuple_target = 128);
  `)
}
