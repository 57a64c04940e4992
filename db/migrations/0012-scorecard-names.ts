import type { Knex } from 'knex'

/**
 * Adds the listed members of definitions as columns: a definition may have 8 MB, all of which Postgres reads for one member. The
 * table is rewritten, 50 such definitions in 2 s; batches whose scorecards are cached do not wait for it. Postgres computes the
 * columns, whatever version saves a definition.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table scorecard_versions
      add column name text generated always as (definition ->> 'name') stored,
      add column platforms jsonb generated always as (definition -> 'platforms') stored,
      add column kinds jsonb generated always as (
        jsonb_path_query_array(definition, '$.segments[*].model.kind')
          || jsonb_path_query_array(definition, '$.model.kind')
      ) stored;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table scorecard_versions drop column name, drop column platforms, drop column kinds;')
}
