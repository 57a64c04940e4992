import { expect, test } from 'vitest'
import type { Outcome } from '../../../../worker/scoring/model.ts'
import { aPmml, open, SCHEMA } from '../../../support/a-pmml.ts'

/** Former bugs of the compiler that the reference evaluator found, each as a minimal file. */

const fieldsAnd = (target: string): string => `
  <DataField name="x" optype="continuous" dataType="double"/>
  <DataField name="y" optype="continuous" dataType="double"/>
  <DataField name="c" optype="categorical" dataType="string"/>
  <DataField name="d" optype="categorical" dataType="string"/>${target}`

const categories = (optype: string, ...values: readonly string[]): string =>
  `<DataField name="t" optype="${optype}" dataType="string">${values.map((value) => `<Value value="${value}"/>`).join('')}</DataField>`

const NUMBER = '<DataField name="t" optype="continuous" dataType="double"/>'

const outcomeOf = (model: string, row: Readonly<Record<string, number | string>>, target: string): Outcome =>
  open(aPmml(model, { dictionary: fieldsAnd(target) })).evaluate(row)

const classes = (normalization: string, intercepts: readonly number[], inner = ''): string =>
  `<RegressionModel functionName="classification" normalizationMethod="${normalization}">${SCHEMA}${inner}${intercepts
    .map((intercept, at) => `<RegressionTable intercept="${intercept}" targetCategory="${'abc'[at]}"/>`)
    .join('')}</RegressionModel>`

const NO_SCORE = { noScore: expect.any(String) }

/** @see https://dmg.org/pmml/v4-4-1/Regression.html */
test('linear predictors that are not probabilities give no score', () => {
  expect(outcomeOf(classes('none', [1, 1, 0]), {}, categories('categorical', 'a', 'b', 'c'))).toEqual(
    NO_SCORE,
  )
})

/** JPMML limits each cumulative probability to 0 to 1. */
test('cumulative probabilities of an ordinal target are limited to 0 to 1', () => {
  const outcome = outcomeOf(classes('none', [1.5, 2, 0]), {}, categories('ordinal', 'a', 'b', 'c'))
  expect(outcome).toMatchObject({ probabilities: { a: 1, b: 0, c: 0 } })
})

test('decreasing cumulative probabilities give no score', () => {
  expect(outcomeOf(classes('logit', [1, -1, 0]), {}, categories('ordinal', 'a', 'b', 'c'))).toEqual(NO_SCORE)
})

const card = (targets = '') => `
  <Scorecard functionName="regression" initialScore="100" useReasonCodes="false">${SCHEMA}${targets}<Characteristics>
    <Characteristic name="c1"><Attribute partialScore="5"><SimplePredicate field="x" operator="greaterThan" value="0"/></Attribute></Characteristic>
  </Characteristics></Scorecard>`

const DEFAULT = '<Targets><Target field="t"><TargetValue defaultValue="600"/></Target></Targets>'

/** The standard: without a matching attribute, the scorecard returns an invalid value, not a missing one. */
test('no default value replaces a scorecard without a matching attribute', () => {
  expect(outcomeOf(card(DEFAULT), { x: -1 }, NUMBER)).toEqual(NO_SCORE)
})

test('no ensemble skips a scorecard without a matching attribute', () => {
  const model = `<MiningModel functionName="regression">${SCHEMA}
    <Segmentation multipleModelMethod="sum" missingPredictionTreatment="skipSegment"><Segment><True/>${card()}</Segment>
      <Segment><True/><RegressionModel functionName="regression">${SCHEMA}<RegressionTable intercept="7"/></RegressionModel></Segment>
    </Segmentation></MiningModel>`
  expect(outcomeOf(model, { x: -1 }, NUMBER)).toEqual(NO_SCORE)
})

test('prior probabilities add up to 1', () => {
  const model = `<RegressionModel functionName="classification" normalizationMethod="logit">${SCHEMA}
    <Targets><Target field="t"><TargetValue value="a" priorProbability="0.5"/><TargetValue value="b" priorProbability="0.25"/></Target></Targets>
    <RegressionTable intercept="0" targetCategory="a"><NumericPredictor name="x" coefficient="1"/></RegressionTable>
    <RegressionTable intercept="0" targetCategory="b"/></RegressionModel>`
  expect(outcomeOf(model, {}, categories('categorical', 'a', 'b'))).toMatchObject({
    probabilities: { a: expect.closeTo(2 / 3, 12), b: expect.closeTo(1 / 3, 12) },
  })
})

const leaf = (distribution: string) =>
  `<TreeModel functionName="classification">${SCHEMA}<Node score="a"><True/>${distribution}</Node></TreeModel>`

test('probabilities of a node add up to 1', () => {
  const distribution = `<ScoreDistribution value="a" recordCount="6" probability="0.6"/>
    <ScoreDistribution value="b" recordCount="4" probability="0.2"/>`
  expect(outcomeOf(leaf(distribution), {}, categories('categorical', 'a', 'b'))).toMatchObject({
    probabilities: { a: expect.closeTo(0.75, 12), b: expect.closeTo(0.25, 12) },
  })
})

/** The standard: if the probability is given for any category, it must be for all. */
test('a node with a probability for only some of its categories is rejected', () => {
  const distribution = `<ScoreDistribution value="a" recordCount="6" probability="0.9"/>
    <ScoreDistribution value="b" recordCount="4"/>`
  expect(() => outcomeOf(leaf(distribution), {}, categories('categorical', 'a', 'b'))).toThrow()
})

test('a node without records gives no score', () => {
  const distribution =
    '<ScoreDistribution value="a" recordCount="0"/><ScoreDistribution value="b" recordCount="0"/>'
  expect(outcomeOf(leaf(distribution), {}, categories('categorical', 'a', 'b'))).toEqual(NO_SCORE)
})

const splitTree = (strategy: string) => `
  <TreeModel functionName="classification" missingValueStrategy="${strategy}" noTrueChildStrategy="returnLastPrediction">${SCHEMA}
    <Node id="0" score="a" recordCount="100"><True/>
      <ScoreDistribution value="a" recordCount="60"/><ScoreDistribution value="b" recordCount="40"/>
      <Node id="1" score="a" recordCount="50"><SimplePredicate field="x" operator="lessThan" value="0"/>
        <ScoreDistribution value="a" recordCount="40"/><ScoreDistribution value="b" recordCount="10"/>
        <Node id="2" score="b" recordCount="20"><SimplePredicate field="c" operator="equal" value="z"/>
          <ScoreDistribution value="a" recordCount="5"/><ScoreDistribution value="b" recordCount="15"/></Node></Node>
      <Node id="3" score="b" recordCount="50"><SimplePredicate field="x" operator="greaterOrEqual" value="0"/>
        <ScoreDistribution value="a" recordCount="20"/><ScoreDistribution value="b" recordCount="30"/></Node>
    </Node></TreeModel>`

test.each(['weightedConfidence', 'aggregateNodes'])(
  'with %s, a node without a matching child counts as a leaf with returnLastPrediction',
  (strategy) => {
    expect(outcomeOf(splitTree(strategy), { c: 'y' }, categories('categorical', 'a', 'b'))).toMatchObject({
      probabilities: { a: expect.closeTo(0.6, 12), b: expect.closeTo(0.4, 12) },
    })
  },
)

/** The standard: the parent is returned if it has a score. Before, the category with most records was returned. */
test.each([
  ['none', { c: 'y', x: -1 }, NO_SCORE],
  ['weightedConfidence', { c: 'y' }, NO_SCORE],
  // of all leaves, only the other branch has one
  ['aggregateNodes', { c: 'y' }, { probabilities: { a: 0.4, b: 0.6 } }],
])(
  'with %s, a node without a matching child and without a score is not returned',
  (strategy, row, expected) => {
    const model = splitTree(strategy).replace('<Node id="1" score="a"', '<Node id="1"')
    expect(outcomeOf(model, row, categories('categorical', 'a', 'b'))).toMatchObject(expected)
  },
)
