import type { Knex } from 'knex'

/**
 * Ids of users, API keys, site keys, scorecard trials and audit events no longer count those of all subscriptions. Existing ids stay.
 *
 * - Users, keys and trials get an id from 100,000,000 to 999,999,999: a permutation of the numbers of one sequence, keyed with a secret
 *   of the installation. Such ids never repeat, so no insert has to retry, and no deleted user's id is given to another.
 * - Audit events show their place in the chain of their subscription: its next events continue from its newest id, one by one.
 *
 * Locks the tables that it alters for an instant, and reads one row for each subscription. Processes of the previous version go on: their inserts get the new ids.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table opaque_id_secret (secret bytea not null);
    insert into opaque_id_secret values (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

    create sequence opaque_id_numbers minvalue 0 maxvalue 899999999;

    -- a Feistel network of 10 rounds, as FF1 has, over 30 bits; repeated until its result is in the range, as in "cycle walking"
    create function next_opaque_id() returns integer
    language plpgsql set search_path = public, pg_temp as $$
    declare
      secret bytea;
      number integer := nextval('opaque_id_numbers');
      hash bytea;
    begin
      select s.secret into strict secret from opaque_id_secret s;
      loop
        for round in 1..10 loop
          hash := sha256(secret || int4send(round) || int4send(number & 32767));
          number := ((number & 32767) << 15) | ((number >> 15) # ((get_byte(hash, 0) << 7) | (get_byte(hash, 1) >> 1)));
        end loop;
        exit when number < 900000000;
      end loop;
      return 100000000 + number;
    end $$;

    alter table audit_heads
      -- events up to this place in the chain have the id of their row, as they had before this was added
      add column ids_after bigint not null default 0,
      -- later ones have their place and this
      add column id_offset bigint not null default 0;
    update audit_heads h set ids_after = seq, id_offset = greatest(pruned_event_id, seq, (
      select max(id) from audit_events e where e.subscription_id = h.subscription_id
    )) - seq;
  `)
  for (const table of TABLES)
    await db.raw(
      `alter table ${table} alter column id drop identity, alter column id set default next_opaque_id()`,
    )
}

/** New ids count again, from the largest before. */
export async function down(db: Knex): Promise<void> {
  for (const table of TABLES)
    await db.raw(`
      alter table ${table} alter column id drop default, alter column id add generated always as identity;
      select setval(pg_get_serial_sequence('${table}', 'id'), (select coalesce(max(id), 0) + 1 from ${table} where id < 100000000), false);
    `)
  await db.raw(`
    alter table audit_heads drop column ids_after, drop column id_offset;
    drop function next_opaque_id;
    drop sequence opaque_id_numbers;
    drop table opaque_id_secret;
  `)
}

const TABLES = ['users', 'api_keys', 'site_keys', 'scorecard_trials']
