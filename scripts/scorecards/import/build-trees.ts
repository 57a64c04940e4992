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
 * Converts a tree model to its part of a definition. A logistic model gives log-odds, which are scaled to a score; reasons
 * are inputs that raise the log-odds of bad.
 *
 * @throws UserError for unsupported or missing information.
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
        `${file} has the categories ${input.categories.join('|')} of ${input.name}, but the map has ${categories.join('|')}`,
      )
    return {
      ...input,
      ...(categories && { categories: [...categories] }),
      ...(reason !== undefined && { reasonCode: reason }),
    }
  })
  const isLogistic = model.objective === 'logistic'
  const scaling = isLogistic
    ? scalingOf(format, options, file, 'gives log-odds and does not define their scaling to scores')
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
            'The score is the rounded log-odds of bad: give --pdo, --base-score and --base-odds for a usable score',
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
      `${name} is the category ${feature}, but the model has numbers for it: list the categories in the order of their codes ` +
        'in the column categories of the map, for example apple|nokia|sony',
    )
  const type = categories ? ('category' as const) : ('number' as const)
  const read = (text: string) => (categories ? text : Number(text))
  return {
    name,
    type,
    ...(mapped?.missing?.length && { missing: mapped.missing.map(read) }),
  }
}
