import type { Actor } from '../audit/actor.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { type Sql, sql, valueRows } from '../postgres/sql.ts'
import type { Scorecard } from './definition/definition.ts'
import { versionOf } from './definition/version.ts'

/**
 * The stage of a version under a code: a draft does not score, a challenger scores in shadow, the champion's scores are returned,
 * a retired version does not score any more. One champion and one challenger per code.
 */
export type Stage = 'draft' | 'challenger' | 'champion' | 'retired'

/** A version under a code of a subscription. */
export interface StagedScorecard {
  readonly subscriptionId: number
  readonly code: string
  /** SHA-256 of the definition, in hexadecimal: two equal versions are the same scorecard. */
  readonly version: string
  readonly stage: Stage
}

/** A champion or challenger. */
export interface ScoringVersion extends StagedScorecard {
  /** Its scores are absent until it is resumed. */
  readonly suspended: boolean
}

/** Stores a definition indefinitely under its version; a second call changes nothing, also not the author. */
export async function saveDefinition(
  trx: Db,
  subscriptionId: number,
  definition: Scorecard,
  author?: Actor,
): Promise<string> {
  const version = versionOf(definition)
  await saveVersion(trx, { subscriptionId, version, definition: JSON.stringify(definition), author })
  return version
}

/** As `saveDefinition`, for a definition that is already serialised, with its version. */
export async function saveVersion(
  trx: Db,
  {
    subscriptionId,
    version,
    definition,
    author,
  }: { subscriptionId: number; version: string; definition: string; author?: Actor | undefined },
): Promise<void> {
  await trx('scorecard_versions')
    .insert({
      ...{ subscription_id: subscriptionId, version, definition },
      ...(author && { author_kind: author.kind, author_id: author.id, author_name: author.name }),
    })
    .onConflict(['subscription_id', 'version'])
    .ignore()
}

/** Returns the JSON text of a definition. */
export async function findDefinitionText(
  db: Db,
  subscriptionId: number,
  version: string,
): Promise<string | undefined> {
  const [found] = await queryRows<{ definition: string }>(
    db,
    sql`select definition::text from scorecard_versions
        where subscription_id = ${subscriptionId} and version = ${version}`,
  )
  return found?.definition
}

/** Whether a subscription has or had a version under a code. */
export async function hasVersion(
  db: Db,
  { subscriptionId, code, version }: Omit<StagedScorecard, 'stage'>,
): Promise<boolean> {
  const found = await queryRows(
    db,
    sql`select from scorecard_stages
        where subscription_id = ${subscriptionId} and code = ${code} and version = ${version}`,
  )
  return found.length > 0
}

/** Lists the champions and challengers of these subscriptions by code, without their definitions, which never change. */
export async function listScoringVersions(
  db: Db,
  subscriptionIds: readonly number[],
): Promise<ScoringVersion[]> {
  return queryRows(
    db,
    sql`select s.subscription_id as "subscriptionId", s.code, s.version, s.stage, v.suspended_at is not null as suspended
     from scorecard_stages s join scorecard_versions v using (subscription_id, version)
     where s.subscription_id = any(${subscriptionIds}) and s.stage in ('champion', 'challenger')
     order by s.subscription_id, s.code, s.stage`,
  )
}

type VersionKey = Pick<StagedScorecard, 'subscriptionId' | 'version'>

/** Lists definitions by their versions; they were validated when they were saved. */
export const listDefinitions = (
  db: Db,
  versions: readonly VersionKey[],
): Promise<{ version: string; definition: Scorecard }[]> => listMembers(db, sql`definition`, versions)

/** Lists the expected distributions of versions, without their models, which may be large; null if there are none. */
export const listExpectedDistributions = (
  db: Db,
  versions: readonly VersionKey[],
): Promise<{ version: string; expected: Scorecard['expected'] | null }[]> =>
  listMembers(db, sql`definition->'expected' as expected`, versions)

async function listMembers<Row extends object>(
  db: Db,
  member: Sql,
  versions: readonly VersionKey[],
): Promise<Row[]> {
  if (versions.length === 0) return []
  const rows = valueRows(
    ['integer', 'text'],
    versions.map(({ subscriptionId, version }) => [subscriptionId, version]),
  )
  return queryRows(
    db,
    sql`select version, ${member} from scorecard_versions
     join (values ${rows}) v (subscription_id, version) using (subscription_id, version)`,
  )
}

/** A version under a code, as an operator sees it. */
export interface ListedScorecard {
  readonly code: string
  readonly version: string
  readonly stage: Stage
  readonly since: Date
  readonly name: string
  readonly platforms: readonly string[]
  readonly kinds: readonly string[]
  /** The version that it replaced as champion. */
  readonly replaced: string | null
  /** Since when its scores are absent, and why; null if it is not suspended. */
  readonly suspendedAt: Date | null
  readonly suspendedBecause: 'slow' | 'died' | null
}

/** Lists every version that a subscription has or had under some code, champions first. Does not read definitions. */
export async function listVersions(db: Db, subscriptionId: number): Promise<ListedScorecard[]> {
  return queryRows(
    db,
    sql`select s.code, s.version, s.stage, s.since, s.replaced, v.name, v.platforms, v.kinds,
            v.suspended_at as "suspendedAt", v.suspended_because as "suspendedBecause"
     from scorecard_stages s join scorecard_versions v using (subscription_id, version)
     where s.subscription_id = ${subscriptionId}
     order by s.code, array_position(array['champion', 'challenger', 'draft', 'retired'], s.stage), s.since desc`,
  )
}

/**
 * Locks the stages of a code, so that concurrent changes are serialised.
 *
 * @returns its versions and their stages.
 */
export async function lockStages(
  trx: Db,
  subscriptionId: number,
  code: string,
): Promise<{ version: string; stage: Stage; replaced: string | null }[]> {
  await queryRows(
    trx,
    sql`select pg_advisory_xact_lock(hashtextextended(${code}::text, ${subscriptionId}::integer))`,
  )
  return queryRows(
    trx,
    sql`select version, stage, replaced from scorecard_stages
        where subscription_id = ${subscriptionId} and code = ${code}`,
  )
}

/** Sets the stage of a version under a code. The caller holds the lock and has replaced the previous champion or challenger. */
export async function setStage(
  trx: Db,
  { subscriptionId, code, version, stage }: StagedScorecard,
  replaced?: string | null,
): Promise<void> {
  const change = { stage, since: trx.fn.now(), ...(replaced !== undefined && { replaced }) }
  await trx('scorecard_stages')
    .insert({ subscription_id: subscriptionId, code, version, ...change })
    .onConflict(['subscription_id', 'code', 'version'])
    .merge(change)
}

/** The texts of a version for people. */
export interface ScorecardTexts {
  readonly version: string
  readonly name: string
  /** The event that counts as bad. */
  readonly bad: string
  /** Whether its points come from no data: it must not decide about anyone. */
  readonly demonstration: boolean
  /** The meaning of a higher score. */
  readonly direction: 'higherIsBetter' | 'higherIsWorse'
  readonly reasons: Scorecard['reasons']
}

/** Lists the texts of a subscription's versions. */
export async function listScorecardTexts(
  db: Db,
  subscriptionId: number,
  versions: readonly string[],
): Promise<ScorecardTexts[]> {
  return queryRows(
    db,
    // as one record: for each member by itself Postgres would unpack the whole definition, which may be large
    sql`select version, d.name, d.bad, d.reasons, coalesce(d.demonstration, false) as demonstration,
            coalesce(d.scaling->>'direction',
              -- without a scaling line, points are a reason on their worse side
              case d.reasons->>'points' when 'aboveBaseline' then 'higherIsWorse' else 'higherIsBetter' end
            ) as direction
     from scorecard_versions
     cross join jsonb_to_record(definition)
       as d (name text, bad text, reasons jsonb, demonstration boolean, scaling jsonb)
     where subscription_id = ${subscriptionId} and version = any(${versions})`,
  )
}

/** Finds the champion of a code, or the given version if it is or was under that code. */
export async function findVersion(
  db: Db,
  subscriptionId: number,
  { code, version }: { code: string; version?: string | undefined },
): Promise<string | undefined> {
  const [row] = await queryRows<{ version: string }>(
    db,
    sql`select version from scorecard_stages
        where subscription_id = ${subscriptionId} and code = ${code}
          and case when ${version ?? null}::text is null then stage = 'champion' else version = ${version ?? null} end`,
  )
  return row?.version
}
