import type { Knex } from 'knex'

/**
 * What a list says of definitions, beside them: they may have 8 MB each, all of which Postgres reads for one member. The table is
 * written anew, 50 such definitions in 2 s; no group of datasets waits for it that has its scorecards already. Whatever version
 * saves a definition, Postgres fills these in.
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
