import { type Db, queryRows, valuesOf } from '../postgres/database.ts'
import type { Scorecard } from './definition/definition.ts'
import { versionOf } from './definition/version.ts'

/**
 * Where a version stands under a code: a draft scores nothing, a challenger scores in shadow, the champion's scores are
 * told, a retired one scores no more. One champion and one challenger a code.
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

/** Keeps a definition for ever under its version; again changes nothing. */
export async function saveDefinition(
  trx: Db,
  subscriptionId: number,
  definition: Scorecard,
): Promise<string> {
  const version = versionOf(definition)
  await saveVersion(trx, { subscriptionId, version, definition: JSON.stringify(definition) })
  return version
}

/** As `saveDefinition`, of a definition that was made ready to be kept elsewhere: JSON text of it and its version. */
export async function saveVersion(
  trx: Db,
  { subscriptionId, version, definition }: { subscriptionId: number; version: string; definition: string },
): Promise<void> {
  await trx('scorecard_versions')
    .insert({ subscription_id: subscriptionId, version, definition })
    .onConflict(['subscription_id', 'version'])
    .ignore()
}

/** The JSON text of a definition of this subscription. */
export async function findDefinitionText(
  db: Db,
  subscriptionId: number,
  version: string,
): Promise<string | undefined> {
  const [found] = await queryRows<{ definition: string }>(
    db,
    'select definition::text from scorecard_versions where subscription_id = ? and version = ?',
    [subscriptionId, version],
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
    'select from scorecard_stages where subscription_id = ? and code = ? and version = ?',
    [subscriptionId, code, version],
  )
  return found.length > 0
}

/** The champions and challengers of these subscriptions, by code; without their definitions, which never change. */
export async function listScoringVersions(
  db: Db,
  subscriptionIds: readonly number[],
): Promise<StagedScorecard[]> {
  return queryRows(
    db,
    `select subscription_id as "subscriptionId", code, version, stage from scorecard_stages
     where subscription_id = any(?) and stage in ('champion', 'challenger')
     order by subscription_id, code, stage`,
    [subscriptionIds],
  )
}

type VersionKey = Pick<StagedScorecard, 'subscriptionId' | 'version'>

/** Definitions by their versions; they were validated when they were saved. */
export const listDefinitions = (
  db: Db,
  versions: readonly VersionKey[],
): Promise<{ version: string; definition: Scorecard }[]> => listMembers(db, 'definition', versions)

/** The distributions that versions expect, without their models, which may be big; null where they expect none. */
export const listExpectedDistributions = (
  db: Db,
  versions: readonly VersionKey[],
): Promise<{ version: string; expected: Scorecard['expected'] | null }[]> =>
  listMembers(db, `definition->'expected' as expected`, versions)

async function listMembers<Row extends object>(
  db: Db,
  member: string,
  versions: readonly VersionKey[],
): Promise<Row[]> {
  if (versions.length === 0) return []
  const { sql, bindings } = valuesOf(
    ['integer', 'text'],
    versions.map(({ subscriptionId, version }) => [subscriptionId, version]),
  )
  return queryRows(
    db,
    `select version, ${member} from scorecard_versions
     join (values ${sql}) v (subscription_id, version) using (subscription_id, version)`,
    bindings,
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
}

/** Every version that a subscription has or had under some code, champions first. Reads no definition, however big. */
export async function listVersions(db: Db, subscriptionId: number): Promise<ListedScorecard[]> {
  return queryRows(
    db,
    `select s.code, s.version, s.stage, s.since, s.replaced, v.name, v.platforms, v.kinds
     from scorecard_stages s join scorecard_versions v using (subscription_id, version)
     where s.subscription_id = ?
     order by s.code, array_position(array['champion', 'challenger', 'draft', 'retired'], s.stage), s.since desc`,
    [subscriptionId],
  )
}

/**
 * Locks the stages of a code, so that two changes at once come one after the other.
 *
 * @returns its versions and where each stands.
 */
export async function lockStages(
  trx: Db,
  subscriptionId: number,
  code: string,
): Promise<{ version: string; stage: Stage; replaced: string | null }[]> {
  await queryRows(trx, 'select pg_advisory_xact_lock(hashtextextended(?::text, ?::integer))', [
    code,
    subscriptionId,
  ])
  return queryRows(
    trx,
    'select version, stage, replaced from scorecard_stages where subscription_id = ? and code = ?',
    [subscriptionId, code],
  )
}

/** Puts a version into a stage under a code. The caller holds the lock and has made room for a champion or challenger. */
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

/** What a person is told of a version, beside the numbers. */
export interface ScorecardTexts {
  readonly version: string
  readonly name: string
  /** What counts as bad. */
  readonly bad: string
  /** Its points come from no data: it must not decide about anyone. */
  readonly demonstration: boolean
  /** What more points of score mean. */
  readonly direction: 'higherIsBetter' | 'higherIsWorse'
  readonly reasons: Scorecard['reasons']
}

/** The texts of versions of a subscription. */
export async function listScorecardTexts(
  db: Db,
  subscriptionId: number,
  versions: readonly string[],
): Promise<ScorecardTexts[]> {
  return queryRows(
    db,
    // as one record, since each member by itself has Postgres unpack the whole definition, which may be big
    `select version, d.name, d.bad, d.reasons, coalesce(d.demonstration, false) as demonstration,
            coalesce(d.scaling->>'direction',
              -- without a scaling line, points are a reason on their worse side
              case d.reasons->>'points' when 'aboveBaseline' then 'higherIsWorse' else 'higherIsBetter' end
            ) as direction
     from scorecard_versions
     cross join jsonb_to_record(definition)
       as d (name text, bad text, reasons jsonb, demonstration boolean, scaling jsonb)
     where subscription_id = ? and version = any(?)`,
    [subscriptionId, versions],
  )
}

/** The version that scores under a code: the champion, or this one where it is or was under that code. */
export async function findVersion(
  db: Db,
  subscriptionId: number,
  { code, version }: { code: string; version?: string | undefined },
): Promise<string | undefined> {
  const [row] = await queryRows<{ version: string }>(
    db,
    `select version from scorecard_stages
     where subscription_id = ? and code = ? and case when ?::text is null then stage = 'champion' else version = ? end`,
    [subscriptionId, code, version ?? null, version ?? null],
  )
  return row?.version
}
