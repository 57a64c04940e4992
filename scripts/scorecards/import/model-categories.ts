import type { ScorecardModel } from '../../../db/scorecards/definition/definition.ts'
import type { PmmlModel } from '../../../db/scorecards/definition/pmml.ts'

/** Returns the texts that a model compares an input with; empty if it has none. */
export function categoriesOf(model: ScorecardModel, input: string): readonly string[] {
  switch (model.kind) {
    case 'trees':
      return model.inputs.find(({ name }) => name === input)?.categories ?? []
    case 'points':
      return unique(
        model.characteristics
          .filter((characteristic) => characteristic.input === input)
          .flatMap(({ attributes }) =>
            attributes.flatMap((attribute) => [...(attribute.in ?? [])].map(String)),
          ),
      )
    case 'pmml':
      return categoriesOfPmml(model, input)
  }
}

/** Returns the categories of the data dictionary, or those in predicates, terms and tables. */
function categoriesOfPmml(model: PmmlModel, input: string): readonly string[] {
  const declared = model.dictionary.find(({ name }) => name === input)?.values ?? []
  if (declared.length > 0) return declared
  const found: string[] = []
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit)
    else if (typeof part === 'object' && part !== null) {
      if ('field' in part && part.field === input) found.push(...textsOf(part))
      Object.values(part).forEach(visit)
    }
  }
  visit([model.model, model.derived])
  return unique(found)
}

function textsOf(part: object): string[] {
  const { value, values, category } = part as { value?: unknown; values?: unknown; category?: unknown }
  return [value, category, ...(Array.isArray(values) ? values : [])].filter(
    (text) => typeof text === 'string',
  )
}

const unique = (texts: readonly string[]) => [...new Set(texts)]
