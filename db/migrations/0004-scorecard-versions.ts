import type { Knex } from 'knex'

/**
 * Adds versions and stages of scorecards. The table `scorecards` stays for processes of the previous version; deployed scorecards
 * are carried over, under the versions that their scores name.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table scorecard_versions (
      subscription_id integer not null references subscriptions,
      -- SHA-256 of the definition; a version never changes and is never deleted: scores name it
      version text not null,
      definition jsonb not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (subscription_id, version)
    );

    create table scorecard_stages (
      subscription_id integer not null,
      code text not null,
      version text not null,
      stage text not null check (stage in ('draft', 'challenger', 'champion', 'retired')),
      since timestamptz not null default clock_timestamp(),
      -- the champion before it, which a roll back brings back
      replaced text,
      primary key (subscription_id, code, version),
      foreign key (subscription_id, version) references scorecard_versions
    );
    create unique index scorecard_stages_champion on scorecard_stages (subscription_id, code) where stage = 'champion';
    create unique index scorecard_stages_challenger on scorecard_stages (subscription_id, code) where stage = 'challenger';

    -- explanations of challengers: what they would have said; null where there was none
    alter table insights add column shadow json;

    -- scores that were calculated again on request
    create table score_history (
      subscription_id integer not null,
      dataset_id bigint not null,
      id bigint generated always as identity,
      calculated_at timestamptz not null,
      replaced_at timestamptz not null default clock_timestamp(),
      actor text not null,
      scores json not null,
      explanations json not null,
      primary key (subscription_id, dataset_id, id),
      foreign key (subscription_id, dataset_id) references insights on delete cascade
    );
  `)

  const deployed: { subscription_id: number; code: string; version: string; definition: OldScorecard }[] =
    await db('scorecards').select('subscription_id', 'code', 'version', 'definition')
  for (const { subscription_id, code, version, definition } of deployed) {
    await db('scorecard_versions')
      .insert({ subscription_id, version, definition: JSON.stringify(carryOver(definition)) })
      .onConflict()
      .ignore()
    await db('scorecard_stages').insert({ subscription_id, code, version, stage: 'champion' })
  }
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table score_history, scorecard_stages, scorecard_versions;
    alter table insights drop column shadow;
  `)
}

type OldBin = {
  from?: number
  below?: number
  in?: (string | boolean)[]
  missing?: true
  else?: true
  weight: number
}

interface OldScorecard {
  name: string
  description: string
  source: string
  bad: string
  demonstration: boolean
  platforms: string[]
  intercept: number
  scaling: { baseScore: number; baseOdds: number; pointsToDoubleOdds: number }
  characteristics: { feature: string; bins: OldBin[] }[]
}

/** Converts a definition to the present form with the same scores: log-odds of good:bad become those of bad:good. */
function carryOver(old: OldScorecard): object {
  const { pointsToDoubleOdds: pdo, baseScore, baseOdds } = old.scaling
  const factor = pdo / Math.LN2
  return {
    format: 'scorecard/1',
    name: old.name,
    description: old.description,
    source: { tool: 'by hand', note: old.source },
    bad: old.bad,
    demonstration: old.demonstration,
    platforms: old.platforms,
    inputs: old.characteristics.map(({ feature, bins }) => ({
      name: feature,
      feature,
      type: typeOf(bins),
      required: !bins.some((bin) => bin.missing),
      missing: [],
      special: [],
      invalid: 'asIs',
    })),
    model: {
      kind: 'points',
      basePoints: baseScore + factor * (old.intercept - Math.log(baseOdds)),
      intercept: -old.intercept,
      characteristics: old.characteristics.map(({ feature, bins }) => ({
        name: feature,
        input: feature,
        coefficient: -1,
        attributes: reachable(bins).map(({ weight, ...bin }) => ({
          ...bin,
          points: factor * weight,
          woe: weight,
        })),
      })),
    },
    scaling: { pdo, baseScore, baseOdds, odds: 'good:bad', direction: 'higherIsBetter' },
    probability: { from: 'logit' },
    output: { from: 'scaling', rounding: 'halfAwayFromZero' },
    reasons: { points: 'belowBaseline', atMost: 4, withoutDifference: false, language: 'en', texts: {} },
    exclusions: [],
    verification: [],
  }
}

/** Bins of missing and else alone have no type: every value can be read as a category. */
function typeOf(bins: readonly OldBin[]): string {
  if (bins.some(({ from, below }) => from !== undefined || below !== undefined)) return 'number'
  return bins.some((bin) => typeof bin.in?.[0] === 'boolean') ? 'boolean' : 'category'
}

/** Drops bins after else, which matched every known value. */
function reachable(bins: readonly OldBin[]): OldBin[] {
  const otherwise = bins.findIndex((bin) => bin.else)
  return bins.filter((bin, at) => otherwise < 0 || at <= otherwise || bin.missing)
}
