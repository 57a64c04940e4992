import { FEATURES, isFeatureName } from '../../../db/capture/features.ts'
import { UserError } from '../../cli/user-error.ts'
import { textsOf } from './build-table.ts'
import type { FeatureMap, MappedInput } from './feature-map.ts'
import type { Definition, ImportedModel, ImportOptions } from './import-types.ts'
import { scalingOf } from './scaling-options.ts'
import { readLightgbm } from './trees/read-lightgbm.ts'
import { readXgboostDump } from './trees/read-xgboost-dump.ts'
import { readXgboostModel } from './trees/read-xgboost-model.ts'

const READERS = { xgboost: readXgboostModel, 'xgboost-dump': readXgboostDump, lightgbm: readLightgbm }

/**
 * A model of trees as the part of a definition that it gives. A logistic one gives log-odds, which the scaling line makes a
 * score of; a reason is what raises the log-odds of bad.
 *
 * @throws UserError that names what is not supported or not said.
 */
export function buildTrees(
  format: keyof typeof READERS,
  json: unknown,
  file: string,
  options: ImportOptions & { readonly map: FeatureMap },
): ImportedModel {
  const {
    model,
    understood,
    notes,
    closedCategories = [],
  } = READERS[format](json, file, {
    ...options,
    baseScore: options.xgboostBaseScore,
  })
  const inputs = model.inputs.map((input) => {
    const { categories, reason } = options.map.get(input.name) ?? {}
    if (categories && input.categories && categories.join('|') !== input.categories.join('|'))
      throw new UserError(
        `${file} names the categories of ${input.name} itself: ${input.categories.join('|')}; the map has ${categories.join('|')}`,
      )
    return {
      ...input,
      ...(categories && { categories: [...categories] }),
      ...(reason !== undefined && { reasonCode: reason }),
    }
  })
  const isLogistic = model.objective === 'logistic'
  const scaling = isLogistic
    ? scalingOf(format, options, file, 'gives log-odds and does not say which scores to make of them')
    : undefined
  return {
    tool: format === 'lightgbm' ? 'LightGBM' : 'XGBoost',
    built: {
      inputs: inputs.map(({ name, categories }) => ({
        ...inputOf(name, categories, options.map.get(name)),
        ...(categories &&
          closedCategories.includes(name) && { valid: { values: categories }, invalid: 'noScore' as const }),
      })),
      model: { ...model, inputs },
      ...(scaling && { scaling, output: { from: 'scaling' } }),
      ...(isLogistic && { probability: { from: 'logit' } }),
      reasons: { points: 'aboveBaseline', texts: textsOf(options.map) },
    },
    understood,
    notes: [
      ...notes,
      ...(scaling || !isLogistic
        ? []
        : [
            'The score is the log-odds of bad, rounded: only --pdo, --base-score and --base-odds make it one to use',
          ]),
    ],
  }
}

function inputOf(
  name: string,
  categories: readonly string[] | undefined,
  mapped: MappedInput | undefined,
): Definition['inputs'][number] {
  const feature = mapped?.feature
  if (feature !== undefined && isFeatureName(feature) && FEATURES[feature].type === 'category' && !categories)
    throw new UserError(
      `${name} is the category ${feature}, and the model has numbers for it: name them in the order of their codes in the ` +
        'column categories of the map, as in apple|nokia|sony',
    )
  const type = categories ? ('category' as const) : ('number' as const)
  const read = (text: string) => (categories ? text : Number(text))
  return {
    name,
    type,
    ...(mapped?.missing?.length && { missing: mapped.missing.map(read) }),
  }
}
