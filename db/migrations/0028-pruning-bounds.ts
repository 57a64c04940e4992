import type { Knex } from 'knex'
import { dropInvalidIndexes } from './drop-invalid-indexes.ts'

/** Indexes are built concurrently, which is not possible in a transaction: each step is safe to repeat. */
export const config = { transaction: false }

/**
 * Lets maintenance find the rows that are due without reading others. The index on the times of sightings replaces a BRIN index, whose ranges
 * never narrow once pages are reused. Two tables get an index on the day, and tables record up to where old rows were removed.
 *
 * Compatible with running processes of the previous version: their statements use the new indexes, and they read none of the new tables.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- the time in sightings up to which old ones were removed, and when this walk began: one row
    create table if not exists sighting_pruning (
      only_row boolean primary key default true check (only_row),
      through timestamptz not null default '-infinity',
      begun_at timestamptz not null default now()
    );
    insert into sighting_pruning default values on conflict do nothing;

    -- the id in insight_requests up to which old reads were removed
    create table if not exists read_pruning (
      subscription_id integer primary key references subscriptions,
      through bigint not null
    );

    -- when a worker last began each kind of maintenance, so that one of them does it at a time
    create table if not exists maintenance_turns (
      task text primary key,
      begun_at timestamptz not null
    );

    -- a thirty-second of the rows dies each day: the default of 20 % would leave a week of them dead
    alter table sightings set (autovacuum_vacuum_scale_factor = 0.05);
  `)
  for (const table of ['sightings', 'usage_days', 'score_stability']) await dropInvalidIndexes(db, table)
  await db.raw('create index concurrently if not exists sightings_time on sightings (at)')
  await db.raw('drop index concurrently if exists sightings_at')
  await db.raw('create index concurrently if not exists usage_days_day on usage_days (day)')
  await db.raw('create index concurrently if not exists score_stability_day on score_stability (day)')
}

export async function down(db: Knex): Promise<void> {
  await db.raw('create index concurrently if not exists sightings_at on sightings using brin (at)')
  for (const index of ['sightings_time', 'usage_days_day', 'score_stability_day'])
    await db.raw('drop index concurrently if exists ??', [index])
  await db.raw(`
    alter table sightings reset (autovacuum_vacuum_scale_factor);
    drop table if exists maintenance_turns, read_pruning, sighting_pruning;
  `)
}
