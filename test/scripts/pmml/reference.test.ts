import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { importPmml } from '../../../scripts/scorecards/import/pmml/import-pmml.ts'
import { compilePmml } from '../../../worker/scoring/pmml/compile-pmml.ts'

/** Models with results of other engines; see its README. They are read in place, never copied. */
const reference =
  process.env.SCORECARD_REFERENCE ??
  fileURLToPath(new URL('../../../../shared/reference/scorecards', import.meta.url))

const isThere = existsSync(reference)
if (!isThere) process.stderr.write(`no reference models at ${reference}: set SCORECARD_REFERENCE\n`)

const read = (...path: string[]) => readFileSync(join(reference, ...path), 'utf8')
const open = (...path: string[]) => compilePmml(importPmml(read(...path)).model)

/** Rows of a CSV without quotes. */
function rowsOf(csv: string): Record<string, string>[] {
  const [header = '', ...lines] = csv.trim().split(/\r?\n/)
  const names = header.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, at) => [names[at] ?? '', cell])))
}

const kie = isThere
  ? readdirSync(join(reference, 'kie-apache2')).filter((file) => file.endsWith('.pmml'))
  : []

test.skipIf(!isThere)('the four scorecards of KIE exist', () => {
  expect(kie).toHaveLength(4)
})

test.each(kie)('%s gives the scores and reason codes of KIE', (file) => {
  const model = open('kie-apache2', file)
  const rows = rowsOf(read('kie-apache2', file.replace('.pmml', '.expected.csv')))
  expect(rows.length).toBeGreaterThan(0)
  for (const { Score: score, 'Reason Code 1': first, 'Reason Code 2': second, ...inputs } of rows) {
    const { outputs, outcome } = model.evaluateOutputs(inputs)
    expect(outputs, JSON.stringify(inputs)).toEqual({
      Score: Number(score),
      'Reason Code 1': first || undefined,
      'Reason Code 2': second || undefined,
    })
    expect(outcome).toMatchObject({ value: Number(score), reasonCodes: [first, second].filter(Boolean) })
  }
})

/** Inputs that the table lists by position. */
const BY_PLACE: Record<string, readonly string[]> = {
  dmg_regression_logistic: ['x1', 'x2'],
  dmg_regression_multi_classes: ['age', 'work', 'sex', 'minority'],
  dmg_regression_interaction: ['age', 'work', 'sex'],
}

function inputsOf(model: string, text: string): Record<string, string> {
  if (text === '(none)') return {}
  const cells = text.replace(/ \(.*\)$/, '').split(';')
  return Object.fromEntries(
    cells.map((cell, at) => {
      const [name, value] = cell.split('=')
      return value === undefined ? [BY_PLACE[model]?.[at] ?? '', name ?? ''] : [name ?? '', value]
    }),
  )
}

/** The lines of the table: `model,"inputs","expected",note`. */
const dmg = isThere
  ? [...read('pmml4s-apache2', 'expected.csv').matchAll(/^(\w+),"([^"]*)","([^"]*)",/gm)].map(
      ([, model = '', inputs = '', expected = '']) => ({ model, inputs, expected }),
    )
  : []

test.skipIf(!isThere)('every line of the table is tested', () => {
  expect(dmg).toHaveLength(20)
})

test.each(dmg)('$model of $inputs gives $expected', ({ model, inputs, expected }) => {
  const { outputs, outcome } = open('pmml4s-apache2', `${model}.pmml`).evaluateOutputs(
    inputsOf(model, inputs),
  )
  if (expected.startsWith('Final Score=')) {
    // the engine of the table repeats the last code instead of returning none
    expect(outputs).toEqual({
      'Final Score': 29,
      'Reason Code 1': 'RC2',
      'Reason Code 2': 'RC1',
      'Reason Code 3': undefined,
    })
    return
  }
  if (expected.endsWith('(null)')) {
    expect(outcome).toHaveProperty('noScore')
    return
  }
  if ('noScore' in outcome) throw new Error(outcome.noScore)
  for (const pair of expected.split(';')) {
    const [name = '', value = name] = pair.split('=')
    if (name === 'confidence' || name === 'probability') {
      // these models have no Output for confidences, which equal the probability without a penalty
      if (model === 'dmg_tree_missing_defaultChild') continue
      expect(outcome.probabilities?.[outcome.category ?? '']).toBeCloseTo(Number(value), 9)
    } else expect(outcome.category ?? String(outcome.value)).toBe(value)
  }
})

test.skipIf(!isThere)('a default child lowers the confidence', () => {
  const withOutput = read('pmml4s-apache2', 'dmg_tree_missing_defaultChild.pmml').replace(
    '</MiningSchema>',
    '</MiningSchema><Output><OutputField name="sure" feature="confidence" optype="continuous" dataType="double"/></Output>',
  )
  const model = compilePmml(importPmml(withOutput).model)
  expect(model.evaluateOutputs({ temperature: 40, humidity: 70 }).outputs.sure).toBeCloseTo(0.48, 12)
})

test.skipIf(!isThere)('a tree of another tool, PMML 4.1, imports and follows its splits', () => {
  const model = open('pmml4s-apache2', 'single_audit_dectree.pmml')
  expect(model.evaluate({ Marital: 'Absent' })).toMatchObject({
    category: '0',
    probabilities: { 0: 639 / 669, 1: 30 / 669 },
  })
  // married, college, executive, 33: after three splits
  const executive = { Marital: 'Married', Education: 'College', Occupation: 'Executive' }
  expect(model.evaluate({ ...executive, Age: 33 })).toMatchObject({
    category: '0',
    probabilities: { 0: 7 / 8 },
  })
  expect(model.evaluate({ ...executive, Age: 34 })).toMatchObject({
    category: '1',
    probabilities: { 0: 6 / 22 },
  })
  // a missing value stops at the node above, which gives the result
  expect(model.evaluate(executive)).toMatchObject({ category: '1', probabilities: { 0: 13 / 30 } })
})
