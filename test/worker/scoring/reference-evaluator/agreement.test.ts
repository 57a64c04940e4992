import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PmmlModel } from '../../../../db/scorecards/definition/pmml.ts'
import { importPmml } from '../../../../scripts/scorecards/import/pmml/import-pmml.ts'
import { compilePmml } from '../../../../worker/scoring/pmml/compile-pmml.ts'
import { byLength } from '../../../support/faults/run-length.ts'
import { drawBy } from './draw.ts'
import { evaluateRow } from './evaluate-row.ts'
import { findDisagreement } from './find-disagreement.ts'
import { aModel } from './random-models.ts'
import { aRow } from './random-rows.ts'
import { writePmml } from './write-pmml.ts'

const ROWS_OF_A_MODEL = 8
/** Long run: FAULTS=long vitest run test/worker/scoring/reference-evaluator */
const ROWS = byLength({ short: 800, long: 100_000 })
const timeout = byLength({ short: 120_000, long: 7_200_000 })

/**
 * Compares the compiled evaluation of random rows and models with the reference evaluator.
 *
 * @param prepare returns the definition to compile and the equivalent one for the reference evaluator.
 * @throws on a disagreement, with the seed to reproduce it and the smallest model found.
 */
function compareRows(
  prepare: (definition: PmmlModel) => { compiled: PmmlModel; reference: PmmlModel },
  options?: Parameters<typeof aModel>[1],
): void {
  const seed = Number(process.env.REFERENCE_SEED ?? randomInt(2 ** 31))
  let scored = 0
  const property = fc.property(fc.gen(), (generate) => {
    const draw = drawBy(generate)
    const { definition, inputs } = aModel(draw, options)
    const { compiled, reference } = prepare(definition)
    const model = compilePmml(compiled)
    for (let at = 0; at < ROWS_OF_A_MODEL; at++) {
      const row = aRow(draw, inputs)
      const computed = model.evaluateOutputs(row)
      const fault = findDisagreement(computed, evaluateRow(reference, row))
      if (fault !== undefined)
        throw new Error(`REFERENCE_SEED=${seed}: ${fault}\nfor ${show(row)}\nin ${show(definition)}`)
      if (!('noScore' in computed.outcome)) scored++
    }
  })
  // limits the time for shrinking a failure
  fc.assert(property, { seed, numRuns: ROWS / ROWS_OF_A_MODEL, interruptAfterTimeLimit: timeout / 2 })
  // rows without a score agree trivially
  expect(scored).toBeGreaterThan(ROWS / 3)
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (Object.is(one, -0) ? '-0' : one))

test('a compiled definition and the reference evaluator agree on random models and rows', { timeout }, () => {
  compareRows((definition) => ({ compiled: PmmlModel.parse(definition), reference: definition }))
})

test('an imported PMML file and the reference evaluator agree on random models and rows', { timeout }, () => {
  compareRows(
    (definition) => {
      const { model: compiled } = importPmml(writePmml(definition))
      const names = new Set(compiled.model.fields.map(({ name }) => name))
      // docs/pmml.md: an unused field is not an input and is not checked
      const fields = definition.model.fields.map((field) =>
        names.has(field.name) ? field : { name: field.name, usage: field.usage, ...UNCHECKED },
      )
      return { compiled, reference: { ...definition, model: { ...definition.model, fields } } }
      // contrasts are not written: a matrix defines them for all cells of a factor
    },
    { contrasts: false },
  )
})

const UNCHECKED = { missing: 'asIs', invalid: 'asMissing', outliers: 'asIs' } as const
