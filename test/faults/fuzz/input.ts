import fc from 'fast-check'

/** A blob to be decoded, and how it is made: what a failure prints, and short. */
export interface Input {
  readonly make: () => Uint8Array
  readonly recipe: unknown
}

/** Inputs that are made from recipes. */
export const makeInputs = <Recipe>(
  recipes: fc.Arbitrary<Recipe>,
  make: (recipe: Recipe) => Uint8Array,
): fc.Arbitrary<Input> => recipes.map((recipe) => inputOf(recipe, () => make(recipe)))

export const inputOf = (recipe: unknown, make: () => Uint8Array): Input => ({
  recipe,
  make,
  ...{ [fc.toStringMethod]: () => fc.stringify(recipe) },
})
