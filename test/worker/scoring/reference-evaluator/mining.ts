import type { DerivedField, PmmlElement, PmmlMining } from '../../../../db/scorecards/definition/pmml.ts'
import type { Fields } from './fields.ts'
import { middleOf } from './functions.ts'
import { roundBy } from './math-context.ts'
import { evaluatePredicate } from './predicates.ts'
import { mostProbable, NOTHING, normalise, type Prediction } from './prediction.ts'
import { rescale } from './targets.ts'
import { numberOf, type Value } from './values.ts'

/** Evaluates the model of a segment; its outputs become fields of the segmentation. */
type Evaluate = (model: PmmlElement, fields: Fields) => Prediction

interface Member {
  readonly weight: number
  readonly prediction: Prediction
}

/** @see https://dmg.org/pmml/v4-4-1/MultipleModels.html */
export function evaluateMining(model: PmmlMining, fields: Fields, evaluate: Evaluate): Prediction {
  const members: Member[] = []
  let chainResult = NOTHING
  for (const [at, { id = String(at + 1), weight, predicate, model: inner }] of model.segments.entries()) {
    if (evaluatePredicate(predicate, fields) !== true) continue
    const prediction = evaluate(inner, fields)
    const member = { weight, prediction }
    if (model.method === 'selectFirst') return { ...prediction, entityId: prediction.entityId ?? id }
    if (model.method === 'modelChain' && isMissing(member)) {
      if (model.missingPredictionTreatment === 'returnMissing') return NOTHING
      if (model.missingPredictionTreatment === 'skipSegment') continue
    }
    if (isFinal(model, at)) chainResult = prediction
    members.push(member)
  }
  if (model.method === 'modelChain') return chainResult
  const voting = model.method === 'majorityVote' || model.method === 'weightedMajorityVote'
  const present = voting ? members : withoutMissing(model, members)
  if (!present || present.length === 0) return NOTHING
  if (voting) return vote(model, present)
  if (model.function === 'regression') return { value: rescale(combineNumbers(model, present), model) }
  return combineProbabilities(model, present, fields)
}

/** Whether a segment can give the result of a chain: the last one, and conditional ones before it that no later one reads. */
function isFinal(chain: Pick<PmmlMining, 'segments'>, at: number): boolean {
  const { segments } = chain
  const [segment, next] = segments.slice(at)
  if (!segment || !next) return true
  const isConditional = segment.predicate.element !== 'True' && next.predicate.element !== 'True'
  const names = segment.model.outputs.map(({ name }) => name)
  return (
    isConditional &&
    isFinal(chain, at + 1) &&
    !names.some((name) => isMentioned(name, segments.slice(at + 1)))
  )
}

/** Whether segments use a field, ignoring derived fields that they do not use. */
function isMentioned(name: string, segments: PmmlMining['segments']): boolean {
  const derived: DerivedField[] = []
  const text = JSON.stringify(segments, (key, value: unknown) => {
    if (key !== 'derived') return value
    derived.push(...(value as DerivedField[]))
    return undefined
  })
  const mentions = (some: string, field: string) => some.includes(JSON.stringify(field))
  const isUsed = (field: string, used: string): boolean =>
    mentions(used, field) ||
    derived.some((one) => mentions(JSON.stringify(one.expression), field) && isUsed(one.name, used))
  return isUsed(name, text)
}

const isMissing = ({ prediction }: Member): boolean => prediction.value === undefined
const sumOf = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
const weightsOf = (members: readonly Member[]): number => sumOf(members.map(({ weight }) => weight))

/** Returns members with a prediction; undefined if missingPredictionTreatment makes the whole result missing. */
function withoutMissing(
  { missingPredictionTreatment, missingThreshold }: PmmlMining,
  members: readonly Member[],
): readonly Member[] | undefined {
  const missing = members.filter(isMissing)
  if (missing.length === 0) return members
  if (missingPredictionTreatment !== 'skipSegment') return undefined
  if (weightsOf(missing) / weightsOf(members) > missingThreshold) return undefined
  return members.filter((member) => !isMissing(member))
}

function combineNumbers(model: PmmlMining, members: readonly Member[]): number {
  const round = roundBy(model)
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => round(a + b), 0)
  const numbers = members.map(({ prediction }) => round(numberOf(prediction.value ?? Number.NaN)))
  const weights = members.map(({ weight }) => round(weight))
  const weighted = sum(numbers.map((number, at) => round(number * (weights[at] ?? Number.NaN))))
  switch (model.method) {
    case 'sum':
      return sum(numbers)
    case 'weightedSum':
      return weighted
    case 'average':
      return round(sum(numbers) / numbers.length)
    case 'weightedAverage':
      return round(weighted / sum(weights))
    case 'median':
      return round(middleOf(numbers))
    default:
      throw new Error(`${model.method} does not combine numbers`)
  }
}

function vote(model: PmmlMining, members: readonly Member[]): Prediction {
  const { missingPredictionTreatment: treatment } = model
  if (treatment === 'returnMissing' && members.some(isMissing)) return NOTHING
  const missing = members.filter(isMissing)
  if (weightsOf(missing) / weightsOf(members) > model.missingThreshold) return NOTHING
  const counted = treatment === 'skipSegment' ? members.filter((member) => !isMissing(member)) : members
  const votes = new Map<Value, number>()
  for (const { weight, prediction } of counted)
    votes.set(
      prediction.value,
      (votes.get(prediction.value) ?? 0) + (model.method === 'weightedMajorityVote' ? weight : 1),
    )
  const forMissing = votes.get(undefined) ?? 0
  votes.delete(undefined)
  if (votes.size === 0 || forMissing > Math.max(...votes.values())) return NOTHING
  return mostProbable(normalise(new Map([...votes].map(([category, count]) => [String(category), count]))))
}

function combineProbabilities(
  { method, fields: schema }: PmmlMining,
  members: readonly Member[],
  { dictionary }: Fields,
): Prediction {
  // ties go to the first category in the data dictionary
  const target = schema.find(({ usage }) => usage === 'target')?.name ?? ''
  const categories = new Set(dictionary.get(target)?.values).union(
    new Set(members.flatMap(({ prediction }) => [...(prediction.probabilities?.keys() ?? [])])),
  )
  const probabilityOf = ({ prediction }: Member, category: string) =>
    prediction.probabilities?.get(category) ?? 0
  const average = (some: readonly Member[], weightOf: (member: Member) => number) =>
    new Map(
      [...categories].map((category) => [
        category,
        sumOf(some.map((member) => weightOf(member) * probabilityOf(member, category))) /
          sumOf(some.map(weightOf)),
      ]),
    )
  if (method === 'average') return mostProbable(average(members, () => 1))
  if (method === 'weightedAverage') return mostProbable(average(members, ({ weight }) => weight))
  // max and median: probabilities are averaged over the models behind the winning category
  const pick = method === 'max' ? (numbers: number[]) => Math.max(...numbers) : middleOf
  const picked = new Map(
    [...categories].map((category) => [
      category,
      pick(members.map((member) => probabilityOf(member, category))),
    ]),
  )
  const winner = String(mostProbable(picked).value)
  const distance = (member: Member) => Math.abs(probabilityOf(member, winner) - (picked.get(winner) ?? 0))
  const least = Math.min(...members.map(distance))
  // the two middle values are equally distant, except for rounding
  const contributors = members.filter((member) => distance(member) <= least + 1e-12)
  return { value: winner, probabilities: average(contributors, () => 1) }
}
