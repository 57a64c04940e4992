import type { ImportedTrees } from './imported-trees.ts'

/** Removes the inputs that no split uses, so that they need no feature. */
export function dropUnusedInputs(imported: ImportedTrees): ImportedTrees {
  const { model, notes } = imported
  const used = new Set(model.feature.filter((_, node) => model.left[node] !== 0))
  const kept = model.inputs.flatMap((input, at) => (used.has(at) ? [{ input, at }] : []))
  if (kept.length === model.inputs.length || kept.length === 0) return imported
  const places = new Map(kept.map(({ at }, place) => [at, place]))
  const unused = model.inputs.filter((_, at) => !used.has(at)).map(({ name }) => name)
  return {
    ...imported,
    model: {
      ...model,
      inputs: kept.map(({ input }) => input),
      feature: model.feature.map((at, node) => (model.left[node] === 0 ? 0 : (places.get(at) as number))),
    },
    notes: [...notes, `No split uses ${unused.join(', ')}: removed`],
  }
}
