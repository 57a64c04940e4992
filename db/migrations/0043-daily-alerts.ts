import type { Knex } from 'knex'

/**
 * Adds the alerts that were recorded, so that each is recorded once a day. Only adds a table: processes of the previous version do not know it, and
 * may record a shift of scores that is in it once more.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table daily_alerts (
      subscription_id integer not null references subscriptions,
      day date not null,
      -- of the event
      type text not null,
      -- what the alert is about, such as a key and its limit
      subject text not null,
      primary key (subscription_id, day, type, subject)
    );

    -- shifts that the previous version has recorded
    insert into daily_alerts (subscription_id, day, type, subject)
    select subscription_id, day, 'alert.score_drift', code || ' ' || version
    from score_stability join event_recording using (subscription_id)
    where mark = 'shifted' and day >= current_date - 3;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table daily_alerts')
}
