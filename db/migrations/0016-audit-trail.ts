import type { Knex } from 'knex'

/**
 * Adds the kind and id of the caller to records, which named callers by a text alone, and makes the audit log append-only and
 * verifiable.
 *
 * - Audit events get an address and an outcome. New columns are null in records of earlier versions.
 * - `audit_chain` has an entry for each event, in order of their commits, with the SHA-256 of the event and of the entry before.
 *   A deferred trigger adds it at commit, so that a subscription's head is locked for the time of one commit. `audit_heads` has the
 *   newest entry, so that events missing at the end are noticed, and the newest pruned one, with which verification begins.
 * - Triggers reject changes and deletions by anybody; only `prune_audit_events` deletes, and only events older than a year.
 *
 * The functions run as their owner: a role that may only insert into `audit_events` and read can record, and change nothing.
 *
 * Existing events are chained by one statement: 11 s of processor time for 300,000, during which changes by admins wait. Processes of the previous
 * version go on: the trigger chains their events too.
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

    create table audit_chain (
      subscription_id integer not null references subscriptions,
      -- from 1, without gaps, in order of the commits
      seq bigint not null,
      event_id bigint not null,
      -- SHA-256 of the hash of the entry before, and of audit_event_text
      hash bytea not null,
      primary key (subscription_id, seq)
    );

    create table audit_heads (
      subscription_id integer primary key references subscriptions,
      seq bigint not null default 0,
      hash bytea not null default '',
      -- the newest pruned entry
      pruned_seq bigint not null default 0,
      pruned_event_id bigint,
      pruned_hash bytea not null default ''
    ) with (fillfactor = 50);

    -- how far workers wrote the events to their logs
    create table audit_deliveries (
      subscription_id integer primary key references subscriptions,
      seq bigint not null
    );

    -- for metrics; events and reasons are those of the code
    create table security_event_counts (
      event text not null,
      outcome text not null,
      reason text not null,
      events bigint not null,
      primary key (event, outcome, reason)
    ) with (fillfactor = 50);

    -- the same text for the same row, whatever the settings of the session
    create function audit_event_text(e audit_events, seq bigint) returns text
    language sql stable as $$
      select jsonb_build_array(e.subscription_id, seq, e.id, (extract(epoch from e.at) * 1000000)::bigint, e.actor, e.actor_kind,
        e.actor_id, e.address, e.action, e.subject, e.detail, e.outcome)::text
    $$;

    create function audit_hash(before bytea, entry text) returns bytea
    language sql stable as $$ select sha256(before || convert_to(entry, 'UTF8')) $$;

    create aggregate audit_hash_of_all(text) (sfunc = audit_hash, stype = bytea, initcond = '');

    with numbered as (
      select e as event, row_number() over (partition by subscription_id order by id) as seq from audit_events e
    )
    insert into audit_chain (subscription_id, seq, event_id, hash)
    select (event).subscription_id, seq, (event).id, audit_hash_of_all(audit_event_text(event, seq))
      over (partition by (event).subscription_id order by seq)
    from numbered;

    drop aggregate audit_hash_of_all(text);

    insert into audit_heads (subscription_id, seq, hash)
    select distinct on (subscription_id) subscription_id, seq, hash
    from audit_chain order by subscription_id, seq desc;

    -- events of earlier versions are not written to logs again
    insert into audit_deliveries (subscription_id, seq) select subscription_id, seq from audit_heads;

    create function chain_audit_event() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      head audit_heads;
    begin
      select * into head from audit_heads where subscription_id = new.subscription_id for update;
      if not found then
        insert into audit_heads (subscription_id) values (new.subscription_id) on conflict do nothing;
        select * into head from audit_heads where subscription_id = new.subscription_id for update;
      end if;
      head.seq := head.seq + 1;
      head.hash := audit_hash(head.hash, audit_event_text(new, head.seq));
      insert into audit_chain values (new.subscription_id, head.seq, new.id, head.hash);
      update audit_heads set seq = head.seq, hash = head.hash where subscription_id = new.subscription_id;
      return null;
    end $$;
    create constraint trigger chain after insert on audit_events
      deferrable initially deferred for each row execute function chain_audit_event();

    create function reject_audit_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and current_setting('inkling.prunes_audit', true) = 'on'
         and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then
        return old;
      end if;
      raise exception 'The audit log is append-only' using errcode = 'insufficient_privilege';
    end $$;
    create trigger append_only before update or delete on audit_events
      for each row execute function reject_audit_change();
    create trigger append_only before update or delete on audit_chain
      for each row execute function reject_audit_change();
    create trigger append_only_truncate before truncate on audit_events
      for each statement execute function reject_audit_change();
    create trigger append_only_truncate before truncate on audit_chain
      for each statement execute function reject_audit_change();

    -- deletes up to max_rows of a subscription's oldest events that are older than this and than a year; returns how many
    create function prune_audit_events(of_subscription integer, older_than timestamptz, max_rows integer) returns integer
    language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      head audit_heads;
      last audit_chain;
    begin
      select * into head from audit_heads where subscription_id = of_subscription for update;
      -- the usual case, by one row
      if not found or not exists (
        select from audit_chain c join audit_events e on e.subscription_id = c.subscription_id and e.id = c.event_id
        where c.subscription_id = of_subscription and c.seq = head.pruned_seq + 1
          and e.at < least(older_than, now() - interval '1 year')
      ) then
        return 0;
      end if;
      -- up to the first event that stays
      select c.* into last from audit_chain c
      where c.subscription_id = of_subscription and c.seq > head.pruned_seq and c.seq <= head.pruned_seq + max_rows
        and c.seq < coalesce((
          select min(kept.seq) from audit_chain kept
          left join audit_events e on e.subscription_id = kept.subscription_id and e.id = kept.event_id
          where kept.subscription_id = of_subscription
            and kept.seq > head.pruned_seq and kept.seq <= head.pruned_seq + max_rows
            and (e.id is null or e.at >= least(older_than, now() - interval '1 year'))
        ), head.seq + 1)
      order by c.seq desc limit 1;
      if not found then
        return 0;
      end if;
      -- not as a setting of the function, which takes a superuser to create
      perform set_config('inkling.prunes_audit', 'on', true);
      delete from audit_events e using audit_chain c
      where c.subscription_id = of_subscription and c.seq > head.pruned_seq and c.seq <= last.seq
        and e.subscription_id = c.subscription_id and e.id = c.event_id;
      delete from audit_chain where subscription_id = of_subscription and seq <= last.seq;
      perform set_config('inkling.prunes_audit', 'off', true);
      update audit_heads set pruned_seq = last.seq, pruned_event_id = last.event_id, pruned_hash = last.hash
      where subscription_id = of_subscription;
      return last.seq - head.pruned_seq;
    end $$;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop trigger append_only on audit_events;
    drop trigger append_only_truncate on audit_events;
    drop trigger chain on audit_events;
    drop function prune_audit_events, chain_audit_event, audit_hash, audit_event_text;
    drop table security_event_counts, audit_deliveries, audit_heads, audit_chain;
    drop function reject_audit_change;
    alter table insight_requests drop column requestor_kind, drop column requestor_id;
    alter table score_history drop column actor_kind, drop column actor_id;
    alter table dataset_events drop column actor_kind, drop column actor_id;
    alter table audit_events drop column actor_kind, drop column actor_id, drop column address, drop column outcome;
  `)
}
