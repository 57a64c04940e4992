import fc from 'fast-check'

/** A blob to decode, and a short recipe of it that failures print. */
export interface Input {
  readonly make: () => Uint8Array
  readonly recipe: unknown
}

/** Creates inputs from recipes. */
export const makeInputs = <Recipe>(
  recipes: fc.Arbitrary<Recipe>,
  make: (recipe: Recipe) => Uint8Array,
): fc.Arbitrary<Input> => recipes.map((recipe) => inputOf(recipe, () => make(recipe)))

export const inputOf = (recipe: unknown, make: () => Uint8Array): Input => ({
  recipe,
  make,
  ...{ [fc.toStringMethod]: () => fc.stringify(recipe) },
})
