import { FEATURES, isFeatureName } from '../../../db/capture/features.ts'
import type { ScorecardModel } from '../../../db/scorecards/definition/definition.ts'
import { UserError } from '../../cli/user-error.ts'
import type { FeatureMap } from './feature-map.ts'
import type { Definition } from './import-types.ts'
import { categoriesOf } from './model-categories.ts'

type InputJson = Definition['inputs'][number]

/**
 * Maps the values of a feature to the category texts of the model: a boolean feature has the value true, a number 1, a word
 * is in lower case, whatever texts the training data had.
 *
 * @returns the inputs, and a sentence for each input with such a mapping.
 * @throws UserError if the values cannot match, with advice for the map.
 */
export function matchFeatures(
  inputs: readonly InputJson[],
  model: ScorecardModel,
  map: FeatureMap | undefined,
): { inputs: InputJson[]; notes: string[] } {
  const notes: string[] = []
  const matched = inputs.map((input): InputJson => {
    const { feature, type, name, special = [] } = input
    const given = map?.get(name)?.values
    if (given && type !== 'category')
      throw new UserError(`The map has values for ${name}, which is a ${type} in the model: remove them`)
    if (type !== 'category' || feature === undefined || !isFeatureName(feature)) return input
    const known = [...categoriesOf(model, name), ...special.map(String)]
    const featureType = FEATURES[feature].type
    const texts = given ? check(given, known, featureType, name) : FIND[featureType](known, name, feature)
    if (Object.keys(texts).length === 0) return input
    if (!given) notes.push(`${name}: ${feature} is read as ${present(texts)}`)
    return { ...input, texts }
  })
  return { inputs: matched, notes }
}

type Texts = Readonly<Record<string, string>>

const present = (texts: Texts) =>
  Object.entries(texts)
    .map(([value, text]) => `${value}=${text}`)
    .join('|')

const list = (known: readonly string[]) =>
  known.length === 0
    ? 'the texts of the model are not known'
    : `the model has the texts ${known
        .slice(0, 10)
        .map((text) => JSON.stringify(text))
        .join(', ')}`

const FIND = {
  boolean(known: readonly string[], name: string, feature: string): Texts {
    const [yes, no] = ['true', 'false'].map((word) =>
      known.filter((text) => text.trim().toLowerCase() === word),
    )
    if (yes?.length === 1 && no?.length === 1)
      return renamed({ true: yes[0] as string, false: no[0] as string })
    throw new UserError(
      `${name} is a text in the model, but ${feature} is true or false, so they never match: ${list(known)}. Map them in the ` +
        'column values of the map, for example true=Yes|false=No',
    )
  },
  number(known: readonly string[], name: string, feature: string): Texts {
    const numbers = known.filter((text) => text.trim() !== '' && Number.isFinite(Number(text)))
    const values = numbers.map((text) => String(Number(text)))
    if (numbers.length > 0 && new Set(values).size === values.length)
      return renamed(Object.fromEntries(values.map((value, at) => [value, numbers[at] as string])))
    throw new UserError(
      `${name} is a text in the model, but ${feature} is a number, so they never match: ${list(known)}. Map them in the ` +
        'column values of the map, for example 1=one|2=two, or choose a feature that is a category',
    )
  },
  category(known: readonly string[], name: string, feature: string): Texts {
    const words = known.map((text) => text.trim().toLowerCase())
    const twice = known.find((_, at) => words.indexOf(words[at] as string) !== at)
    if (twice === undefined)
      return renamed(Object.fromEntries(words.map((word, at) => [word, known[at] as string])))
    throw new UserError(
      `${name} has texts that differ only in case or white space, for example ${JSON.stringify(twice)}, and ${feature} is in ` +
        'lower case: choose one in the column values of the map, for example apple=Apple',
    )
  },
} as const

/** Omits values whose text is the same. */
const renamed = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([value, text]) => value !== text))

/** @throws UserError for an impossible value of the feature and for an unknown text of the model. */
function check(given: Texts, known: readonly string[], type: keyof typeof FIND, name: string): Texts {
  for (const [value, text] of Object.entries(given)) {
    if (known.length > 0 && !known.includes(text))
      throw new UserError(`The map has the text ${JSON.stringify(text)} for ${name}, but ${list(known)}`)
    if (type === 'number' && String(Number(value)) !== value)
      throw new UserError(
        `The map has the value ${value} of ${name}, which is a number: write it as ${Number(value)}`,
      )
  }
  const values = Object.keys(given).sort().join()
  if (type === 'boolean' && values !== 'false,true')
    throw new UserError(
      `The map has the values ${values} of ${name}, which is true or false: map both, for example true=Yes|false=No`,
    )
  return given
}
