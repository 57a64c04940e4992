import { describe, expect, test } from 'vitest'
import { importPmml } from '../../../scripts/scorecards/import/pmml/import-pmml.ts'
import { aModelThatPutsOut, aPmml, open } from '../../support/a-pmml.ts'

const FIELD = '<FieldRef field="x"/>'

/** The value of a field with this declaration: undefined if it is missing, or the reason for no score. */
function treat(declared: string, treatment: string, value: unknown, expression = FIELD): unknown {
  const dictionary = `${declared}<DataField name="t" optype="continuous" dataType="double"/>`
  const schema = `<MiningSchema><MiningField name="x" ${treatment}/><MiningField name="t" usageType="target"/></MiningSchema>`
  const model = open(aPmml(aModelThatPutsOut(expression, undefined, schema), { dictionary }))
  const { outcome, outputs } = model.evaluateOutputs(value === undefined ? {} : { x: value as never })
  return 'noScore' in outcome ? outcome.noScore : outputs.out
}

const AGE = `<DataField name="x" optype="continuous" dataType="integer">
  <Interval closure="closedOpen" leftMargin="18" rightMargin="65"/><Interval closure="closedClosed" leftMargin="70" rightMargin="80"/>
  <Value value="-1" property="missing"/><Value value="67"/></DataField>`
const COLOUR = `<DataField name="x" optype="categorical" dataType="string">
  <Value value="red"/><Value value="blue"/><Value value="?" property="missing"/></DataField>`

describe('MiningSchema', () => {
  /** @see https://dmg.org/pmml/v4-4/MiningSchema.html */
  test.each([
    // missing
    [AGE, '', undefined, undefined],
    [AGE, '', -1, undefined],
    [AGE, 'missingValueReplacement="30" missingValueTreatment="asMean"', undefined, 30],
    [AGE, 'missingValueReplacement="30" missingValueTreatment="asMean"', -1, 30],
    [AGE, 'missingValueTreatment="returnInvalid"', undefined, 'x is required but missing'],
    [COLOUR, 'missingValueReplacement="red" missingValueTreatment="asMode"', '?', 'red'],
    [AGE, '', '-1.0', undefined],
    [
      '<DataField name="x" optype="continuous" dataType="double"><Value value="NaN" property="missing"/></DataField>',
      '',
      'NaN',
      undefined,
    ],
    [
      '<DataField name="x" optype="continuous" dataType="double"><Value value="NaN" property="missing"/></DataField>',
      '',
      'old',
      'x has an invalid value: "old"',
    ],
    // valid
    [AGE, '', 18, 18],
    [AGE, '', 64, 64],
    [AGE, '', 67, 67],
    [AGE, '', 80, 80],
    [COLOUR, '', 'blue', 'blue'],
    // invalid
    [AGE, '', 65, 'x has an invalid value: 65'],
    [AGE, '', 20.5, 'x has an invalid value: 20.5'],
    [COLOUR, '', 'Blue', 'x has an invalid value: "Blue"'],
    [AGE, 'invalidValueTreatment="asIs"', 65, 65],
    [AGE, 'invalidValueTreatment="asIs"', 'old', 'x has an invalid value: "old"'],
    [AGE, 'invalidValueTreatment="asMissing"', 65, undefined],
    [AGE, 'invalidValueTreatment="asMissing" missingValueReplacement="40"', 65, 40],
    [AGE, 'invalidValueTreatment="asValue" invalidValueReplacement="64"', 65, 64],
    [COLOUR, 'invalidValueTreatment="asMissing"', 'green', undefined],
    // outliers
    [AGE, 'outliers="asExtremeValues" lowValue="20" highValue="60"', 18, 20],
    [AGE, 'outliers="asExtremeValues" lowValue="20" highValue="60"', 80, 60],
    [AGE, 'outliers="asExtremeValues" lowValue="20" highValue="60"', 60, 60],
    [AGE, 'outliers="asMissingValues" lowValue="20"', 18, undefined],
    [AGE, 'outliers="asMissingValues" lowValue="20" missingValueReplacement="40"', 18, 40],
  ])('%# %s: %j is read as %j', (declared, treatment, value, expected) => {
    expect(treat(declared, treatment, value)).toBe(expected)
  })

  test('whole numbers are compared with decimal ones, and replaced by them', () => {
    const integer = '<DataField name="x" optype="continuous" dataType="integer"/>'
    const tree = (predicate: string) =>
      open(
        aPmml(
          `<TreeModel functionName="regression"><MiningSchema><MiningField name="x" missingValueReplacement="2.25"/></MiningSchema>
          <Node><True/><Node score="1">${predicate}</Node><Node score="2"><True/></Node></Node></TreeModel>`,
          { dictionary: integer },
        ),
      )
    const below = tree('<SimplePredicate field="x" operator="lessOrEqual" value="2.5"/>')
    expect([2, 3, undefined].map((x) => below.evaluate({ x }))).toMatchObject([
      { value: 1 },
      { value: 2 },
      { value: 1 },
    ])
    const among = tree(
      '<SimpleSetPredicate field="x" booleanOperator="isIn"><Array type="real">2.0 3.5</Array></SimpleSetPredicate>',
    )
    expect([2, 3].map((x) => among.evaluate({ x }))).toMatchObject([{ value: 1 }, { value: 2 }])
    expect(below.evaluate({ x: 2.5 })).toEqual({ noScore: 'x has an invalid value: 2.5' })
  })

  test('infinities are bounds of a model, never values of a field; NaN has no order', () => {
    const tree = (value: string) =>
      `<TreeModel functionName="regression"><MiningSchema><MiningField name="x"/></MiningSchema>
        <Node><True/><Node score="1"><SimplePredicate field="x" operator="lessThan" value="${value}"/></Node><Node score="2"><True/></Node></Node></TreeModel>`
    const double = '<DataField name="x" optype="continuous" dataType="double"/>'
    const score = (value: string, x: unknown) =>
      open(aPmml(tree(value), { dictionary: double })).evaluate({ x: x as never })
    expect([score('INF', 1e308), score('-INF', -1e308)]).toMatchObject([{ value: 1 }, { value: 2 }])
    expect(score('INF', 'INF')).toEqual({ noScore: 'x has an invalid value: "INF"' })
    expect(() => score('NaN', 1)).toThrow('x is compared with NaN, which is not ordered')
    const within = (left: string, right: string) =>
      treat(
        `<DataField name="x" optype="continuous" dataType="double"><Interval closure="closedClosed" leftMargin="${left}" rightMargin="${right}"/></DataField>`,
        'outliers="asExtremeValues" lowValue="-INF" highValue="5"',
        7,
      )
    expect(within('-INF', 'INF')).toBe(5)
    expect(() => within('INF', 'INF')).toThrow('leftMargin="INF" is not a number')
  })

  test('text and booleans are read as the type in the dictionary', () => {
    const of = (dataType: string, value: unknown, optype = 'continuous') =>
      treat(`<DataField name="x" optype="${optype}" dataType="${dataType}"/>`, '', value)
    expect(of('double', ' 1.5e1')).toBe(15)
    expect(of('double', true)).toBe(1)
    expect(of('float', 0.1)).toBe(Math.fround(0.1))
    expect(of('double', '0x10')).toBe('x has an invalid value: "0x10"')
    expect(of('double', '')).toBe('x has an invalid value: ""')
    expect(of('string', 5, 'categorical')).toBe('5')
    expect(of('boolean', 'true', 'categorical')).toBe(true)
    expect(of('boolean', 0, 'categorical')).toBe(false)
    expect(of('date', '2026-02-01', 'categorical')).toBe('2026-02-01')
    expect(of('date', '1 February', 'categorical')).toBe('x has an invalid value: "1 February"')
    expect(of('integer', 1e3)).toBe(1000)
  })

  test('isValid and isNotValid detect an invalid value that is used as is', () => {
    const apply = (name: string) => `<Apply function="${name}">${FIELD}</Apply>`
    const asIs = 'invalidValueTreatment="asIs"'
    expect([30, 66, undefined].map((x) => treat(AGE, asIs, x, apply('isValid')))).toEqual([
      true,
      false,
      false,
    ])
    expect([30, 66, undefined].map((x) => treat(AGE, asIs, x, apply('isNotValid')))).toEqual([
      false,
      true,
      true,
    ])
    expect(treat(AGE, asIs, 66, apply('isNotMissing'))).toBe(true)
  })
})

describe('Output', () => {
  const DICTIONARY = `<DataField name="x" optype="continuous" dataType="double"/>
    <DataField name="t" optype="categorical" dataType="integer"><Value value="0"/><Value value="1"/><Value value="2"/></DataField>`
  const field = (name: string, attributes: string, inner = '') =>
    `<OutputField name="${name}" optype="categorical" ${attributes}>${inner}</OutputField>`

  test('the display value is that of the target, otherwise that of the data dictionary', () => {
    const dictionary = DICTIONARY.replace(
      '<Value value="1"/>',
      '<Value value="1" displayValue="one"/>',
    ).replace('<Value value="2"/>', '<Value value="2" displayValue="two"/>')
    const wordsFor = (score: number) =>
      open(
        aPmml(
          `<TreeModel functionName="classification"><MiningSchema><MiningField name="x"/><MiningField name="t" usageType="target"/></MiningSchema>
          <Output>${field('words', 'feature="predictedDisplayValue"')}</Output>
          <Targets><Target field="t"><TargetValue value="2" displayValue="bad"/></Target></Targets>
          <Node score="${score}"><True/></Node></TreeModel>`,
          { dictionary },
        ),
      ).evaluateOutputs({}).outputs.words
    expect([0, 1, 2].map(wordsFor)).toEqual(['0', 'one', 'bad'])
  })

  test('has every supported feature', () => {
    const outputs = [
      field('category', 'feature="predictedValue" dataType="integer"'),
      field('second', 'feature="predictedValue" rank="2"'),
      field('words', 'feature="predictedDisplayValue"'),
      field('share', 'feature="probability"'),
      field('shareOf1', 'feature="probability" value="1.0"'),
      field('secondShare', 'feature="probability" rank="2"'),
      field(
        'twice',
        'feature="transformedValue"',
        '<Apply function="*"><FieldRef field="shareOf1"/><Constant>2</Constant></Apply>',
      ),
      field(
        'decision',
        'feature="decision"',
        '<Decisions><Decision value="refuse"/></Decisions><Apply function="if"><Apply function="greaterThan"><FieldRef field="share"/><Constant>0.5</Constant></Apply><Constant>refuse</Constant><Constant>ask</Constant></Apply>',
      ),
      field('node', 'feature="entityId"'),
      field('warned', 'feature="warning"'),
    ].join('')
    const model = `<TreeModel functionName="classification"><MiningSchema><MiningField name="x"/><MiningField name="t" usageType="target"/></MiningSchema>
      <Output>${outputs}</Output><Targets><Target field="t"><TargetValue value="2" displayValue="bad"/></Target></Targets>
      <Node id="n1"><True/><ScoreDistribution value="0" recordCount="1"/><ScoreDistribution value="1.0" recordCount="3"/><ScoreDistribution value="2" recordCount="6"/></Node></TreeModel>`
    const imported = importPmml(aPmml(model, { dictionary: DICTIONARY }))
    expect(open(aPmml(model, { dictionary: DICTIONARY })).evaluateOutputs({}).outputs).toEqual({
      category: 2,
      second: '1',
      words: 'bad',
      share: 0.6,
      shareOf1: 0.3,
      secondShare: 0.3,
      twice: 0.6,
      decision: 'refuse',
      node: 'n1',
    })
    expect(imported.understood).toContain('The output warned (warning) is omitted.')
    expect(imported.categories).toEqual(['0', '1', '2'])
  })

  test('an output can be the score', () => {
    const model = `<RegressionModel functionName="classification" normalizationMethod="logit">
      <MiningSchema><MiningField name="x"/><MiningField name="t" usageType="target"/></MiningSchema>
      <Output>${field('p', 'feature="probability" value="1" dataType="double"')}
        ${field('score', 'feature="transformedValue" dataType="double"', '<Apply function="*"><FieldRef field="p"/><Constant>1000</Constant></Apply>')}
        ${field('word', 'feature="transformedValue" dataType="string"', '<Constant dataType="string">good</Constant>')}</Output>
      <RegressionTable intercept="0" targetCategory="1"/><RegressionTable intercept="0" targetCategory="0"/></RegressionModel>`
    const xml = aPmml(model, { dictionary: DICTIONARY })
    expect(importPmml(xml).numericOutputs).toEqual(['p', 'score'])
    expect(open(xml).evaluate({})).toMatchObject({ value: null, category: '0' })
    const scored = open(xml, { score: 'score' })
    expect(scored.evaluate({})).toMatchObject({ value: 500, category: '0' })
    expect(open(xml, { score: 'word' }).evaluate({})).toEqual({ noScore: 'the score would be good' })
    expect(() => importPmml(xml, { score: 'nothing' })).toThrow(
      'the score\'s output field "nothing" does not exist',
    )
  })
})
