import { describe, expect, test } from 'vitest'
import { importPmml } from '../../../scripts/scorecards/import/pmml/import-pmml.ts'
import type { InputValue } from '../../../worker/scoring/model.ts'
import { aPmml, open } from '../../support/a-pmml.ts'

const DICTIONARY = `
  <DataField name="age" optype="continuous" dataType="double"/>
  <DataField name="off" optype="continuous" dataType="double"/>
  <DataField name="grade" optype="categorical" dataType="string"><Value value="A"/><Value value="B"/><Value value="C"/></DataField>
  <DataField name="home" optype="categorical" dataType="string"><Value value="own"/><Value value="rent"/></DataField>
  <DataField name="bad" optype="categorical" dataType="string"><Value value="0"/><Value value="1"/></DataField>
  <DataField name="rank" optype="categorical" dataType="integer"><Value value="1"/><Value value="2"/><Value value="3"/></DataField>
  <DataField name="t" optype="continuous" dataType="double"/>`

type Cell = readonly [predictor: string, value: string | number]
type Parameter = readonly [beta: number, ...cells: Cell[]]

interface Shape {
  readonly attributes: string
  readonly target?: string
  readonly isNumber?: boolean
  readonly factors?: string
  readonly cell?: string
}

/** A file like an export of `glm` of R: parameters p0, p1, …, the first one is the intercept. */
function glm(
  parameters: readonly Parameter[] | Readonly<Record<string, readonly Parameter[]>>,
  { attributes, target = 'bad', isNumber = false, factors, cell }: Shape,
): string {
  const byCategory: Readonly<Record<string, readonly Parameter[]>> =
    'length' in parameters ? { [isNumber ? '' : '1']: parameters as readonly Parameter[] } : parameters
  const all = Object.entries(byCategory)
  const category = (name: string) => (name === '' ? '' : `targetCategory="${name}"`)
  const cells = (all[0]?.[1] ?? []).flatMap(([, ...own], at) =>
    own.map(([name, value]) => `<PPCell predictorName="${name}" value="${value}" parameterName="p${at}"/>`),
  )
  const betas = all.flatMap(([name, own]) =>
    own.map(([beta], at) => `<PCell ${category(name)} parameterName="p${at}" df="1" beta="${beta}"/>`),
  )
  return aPmml(
    `<GeneralRegressionModel functionName="${isNumber ? 'regression' : 'classification'}" ${attributes}>
    <MiningSchema><MiningField name="age"/><MiningField name="off"/><MiningField name="grade"/><MiningField name="home"/>
      <MiningField name="${target}" usageType="predicted"/></MiningSchema>
    <ParameterList>${(all[0]?.[1] ?? []).map((_, at) => `<Parameter name="p${at}" label="x"/>`).join('')}</ParameterList>
    <FactorList>${factors ?? '<Predictor name="grade"/><Predictor name="home"/>'}</FactorList>
    <CovariateList><Predictor name="age"/><Predictor name="off"/></CovariateList>
    <PPMatrix>${cell ?? cells.join('\n')}</PPMatrix>
    <ParamMatrix>${betas.join('\n')}</ParamMatrix></GeneralRegressionModel>`,
    { dictionary: DICTIONARY },
  )
}

const binomial = (link: string): Shape => ({
  attributes: `modelType="generalizedLinear" distribution="binomial" linkFunction="${link}"`,
})

const predict = (xml: string, row: Readonly<Record<string, InputValue>>) => {
  const outcome = open(xml).evaluate(row)
  if ('noScore' in outcome) return outcome.noScore
  return outcome.probabilities ? outcome.probabilities['1'] : outcome.value
}

const PEOPLE = [
  { age: 20, grade: 'A', home: 'own' },
  { age: 45, grade: 'B', home: 'rent' },
  { age: 70, grade: 'C', home: 'rent' },
]

/** Coefficients and predictions by glm and predict of R 4.2.2 on random data. */
describe('glm of R', () => {
  test('binomial with categories, their interaction and a power: bad ~ I(age^2) + grade * home', () => {
    const xml = glm(
      [
        [-0.85963871709346418],
        [-0.00029978016551761337, ['age', 2]],
        [0.20014648801964119, ['grade', 'B']],
        [1.1630386016655441, ['grade', 'C']],
        [0.88581911434423932, ['home', 'rent']],
        [-0.2464632009107563, ['grade', 'B'], ['home', 'rent']],
        [-0.099103201436098631, ['grade', 'C'], ['home', 'rent']],
      ],
      binomial('logit'),
    )
    const expected = [0.27298092716405259, 0.34814770832629649, 0.40641466308266189]
    for (const [at, person] of PEOPLE.entries())
      expect(predict(xml, person)).toBeCloseTo(expected[at] as number, 14)
    expect(importPmml(xml).understood[0]).toBe(
      'PMML 4.4: GeneralRegressionModel, classification, generalizedLinear, link logit.',
    )
  })

  test.each([
    ['probit', 0.31363910599181349, -0.015848523527970174, [0.49867098028079881, 0.3447460381131956]],
    ['cloglog', 0.077381050105612095, -0.021237769830774647, [0.50665215592936352, 0.33997721215740734]],
    ['cauchit', 0.50986960823260996, -0.02414063155759014, [0.50861040253724976, 0.33354623524546406]],
    ['log', -0.31797256544891522, -0.017171458919409115, [0.51612734885862521, 0.33598518346475087]],
  ])('binomial by %s: bad ~ age', (link, intercept, age, expected) => {
    const xml = glm([[intercept], [age, ['age', 1]]], binomial(link))
    expect(predict(xml, { age: 20 })).toBeCloseTo(expected[0] as number, 14)
    expect(predict(xml, { age: 45 })).toBeCloseTo(expected[1] as number, 14)
  })

  test('contrasts of Helmert: bad ~ grade', () => {
    const factors = `<Predictor name="grade" contrastMatrixType="HELMERT">
      <Categories><Category value="A"/><Category value="B"/><Category value="C"/></Categories>
      <Matrix nbRows="3" nbCols="3"><Array n="3" type="real">-1 -1 0</Array><Array n="3" type="real">1 -1 0</Array>
        <Array n="3" type="real">0 2 0</Array></Matrix></Predictor>`
    const xml = glm(
      [
        [-0.59855778951505056],
        [-0.052680257828353096, ['grade', 'A']],
        [0.32959120566574251, ['grade', 'B']],
      ],
      { ...binomial('logit'), factors },
    )
    const expected = { A: 0.29411764705912663, B: 0.27272727272778446, C: 0.51515151515151503 }
    for (const [grade, share] of Object.entries(expected))
      expect(predict(xml, { grade })).toBeCloseTo(share, 12)
    const asIs = xml.replace(
      '<MiningField name="grade"',
      '<MiningField name="grade" invalidValueTreatment="asIs"',
    )
    expect(predict(asIs, { grade: 'D' })).toBe('the contrasts of grade have no category "D"')
  })

  test('poisson with an offset: carb ~ wt + offset(off)', () => {
    const xml = glm([[-2.6888040839102518], [0.25306447491597139, ['age', 1]]], {
      attributes:
        'modelType="generalizedLinear" distribution="poisson" linkFunction="log" offsetVariable="off"',
      isNumber: true,
      target: 't',
    })
    expect(predict(xml, { age: 2, off: 2.5 })).toBeCloseTo(1.3734486861311992, 13)
    expect(predict(xml, { age: 4, off: 3 })).toBeCloseTo(3.7563728180566223, 13)
    expect(predict(xml, { age: 4 })).toBe('off is missing')
  })

  test('gamma by its inverse: mpg ~ wt', () => {
    const xml = glm([[0.0080491424473276268], [0.014046428585214104, ['age', 1]]], {
      attributes:
        'modelType="generalizedLinear" distribution="gamma" linkFunction="power" linkParameter="-1"',
      isNumber: true,
      target: 't',
    })
    expect(predict(xml, { age: 2 })).toBeCloseTo(27.668640655640985, 11)
    expect(predict(xml, { age: -2 })).toBeCloseTo(1 / (0.0080491424473276268 - 2 * 0.014046428585214104), 9)
  })
})

describe('GeneralRegressionModel', () => {
  const number = (attributes: string): Shape => ({ attributes, isNumber: true, target: 't' })

  /** @see https://dmg.org/pmml/v4-4/GeneralRegression.html, the link functions */
  test.each([
    ['modelType="regression"', 0.5],
    ['modelType="generalLinear" linkFunction="identity"', 0.5],
    ['modelType="generalizedLinear" linkFunction="identity" offsetValue="2"', 2.5],
    ['modelType="generalizedLinear" linkFunction="logit" trialsValue="10"', 10 / (1 + Math.exp(-0.5))],
    ['modelType="generalizedLinear" linkFunction="loglog"', Math.exp(-Math.exp(-0.5))],
    ['modelType="generalizedLinear" linkFunction="logc"', 1 - Math.exp(0.5)],
    ['modelType="generalizedLinear" linkFunction="negbin" distParameter="2"', 1 / (2 * (Math.exp(-0.5) - 1))],
    ['modelType="generalizedLinear" linkFunction="power" linkParameter="0.5"', 0.25],
    ['modelType="generalizedLinear" linkFunction="power" linkParameter="0"', Math.exp(0.5)],
    ['modelType="generalizedLinear" linkFunction="oddspower" linkParameter="2"', 1 / (1 + 2 ** -0.5)],
  ])('%s', (attributes, expected) => {
    expect(predict(glm([[0.25], [0.125, ['age', 1]]], number(attributes)), { age: 2 })).toBeCloseTo(
      expected,
      13,
    )
  })

  test('there is no score if the link has no value or a probability would exceed 1', () => {
    const root = number('modelType="generalizedLinear" linkFunction="power" linkParameter="2"')
    expect(predict(glm([[0], [1, ['age', 1]]], root), { age: -4 })).toBe('the link has no value at -4')
    expect(predict(glm([[0], [1, ['age', 1]]], binomial('log')), { age: 1 })).toMatch(
      /^the probability would be 2\.7/,
    )
  })

  test('with three categories as exported by KNIME, the reference category has no parameters', () => {
    const xml = glm(
      { 1: [[0.5], [0.1, ['age', 1]]], 3: [[-1], [0.2, ['age', 1]]] },
      { attributes: 'modelType="multinomialLogistic"', target: 'rank' },
    )
    const outcome = open(xml).evaluate({ age: 5 })
    const sum = Math.exp(1) + 1 + Math.exp(0)
    expect(outcome).toMatchObject({
      category: '1',
      probabilities: {
        1: expect.closeTo(Math.exp(1) / sum, 13),
        2: expect.closeTo(1 / sum, 13),
        3: expect.closeTo(1 / sum, 13),
      },
    })
  })

  test('parameters without a category belong to the category that is not the reference', () => {
    const xml = glm({ '': [[-1], [1, ['age', 1]]] }, binomial('logit'))
    expect(() => importPmml(xml)).toThrow('give targetReferenceCategory')
    const explicit = xml.replace('modelType', 'targetReferenceCategory="0" modelType')
    expect(predict(explicit, { age: 1 })).toBe(0.5)
    expect(predict(explicit, { age: 9 })).toBeCloseTo(1 / (1 + Math.exp(-8)), 14)
    const other = xml.replace('modelType', 'targetReferenceCategory="1" modelType')
    expect(predict(other, { age: 9 })).toBeCloseTo(1 - 1 / (1 + Math.exp(-8)), 14)
  })

  test('a missing predictor gives no score; a category without a cell adds nothing', () => {
    const xml = glm([[-1], [1, ['home', 'rent']], [2, ['home', 'rent'], ['age', 1]]], binomial('logit'))
    expect(predict(xml, { home: 'own' })).toBeCloseTo(1 / (1 + Math.exp(1)), 14)
    expect(predict(xml, { home: 'rent' })).toBe('age is missing')
    expect(predict(xml, { age: 3 })).toBe('home is missing')
    expect(predict(xml, { home: 'rent', age: 3 })).toBeCloseTo(1 / (1 + Math.exp(-6)), 14)
  })

  test('each predictor reports its contribution', () => {
    const xml = glm(
      [[-1], [1, ['home', 'rent']], [0.5, ['age', 1]], [2, ['home', 'rent'], ['age', 1]]],
      binomial('logit'),
    )
    expect(open(xml).evaluate({ home: 'rent', age: 3 })).toMatchObject({
      contributions: [
        { characteristic: 'home', input: 'rent', bin: 'rent', points: 1 },
        { characteristic: 'age', input: 3, bin: '× 0.5', points: 1.5 },
        { characteristic: 'home × age', input: null, bin: 'rent × 3', points: 6 },
      ],
    })
  })

  const plain = glm([[-1], [1, ['age', 1]]], binomial('logit'))

  test.each([
    ['modelType="generalizedLinear"', 'modelType="ordinalMultinomial"', 'cumulative links are not supported'],
    ['modelType="generalizedLinear"', 'modelType="CoxRegression"', 'survival models are not supported'],
    ['linkFunction="logit"', 'linkFunction="sqrt"', 'linkFunction="sqrt" is not supported'],
    ['linkFunction="logit"', '', 'the attribute linkFunction is missing'],
    ['linkFunction="logit"', 'linkFunction="power"', 'the link power requires a linkParameter'],
    [
      'linkFunction="logit"',
      'linkFunction="logit" trialsVariable="age"',
      'trials are only for models that predict',
    ],
    [
      'modelType="generalizedLinear" ',
      'modelType="multinomialLogistic" offsetValue="1" ',
      'an offset is not supported for',
    ],
    ['linkFunction', 'x-mathContext="float" linkFunction', 'x-mathContext="float" is not supported'],
    ['predictorName="age"', 'predictorName="income"', '"income" is in neither FactorList nor CovariateList'],
    ['parameterName="p1"/>', 'parameterName="p9"/>', 'unknown Parameter "p9"'],
    ['parameterName="p1" df', 'parameterName="p0" df', 'duplicate PCell of "p0"'],
    ['value="1" parameterName', 'value="x" parameterName', 'the exponent "x" is not a number'],
    ['beta="-1"', 'beta="NA"', 'beta="NA" is not a number'],
  ])('%s → %s is rejected', (from, to, why) => {
    expect(plain).toContain(from)
    expect(() => importPmml(plain.replace(from, to))).toThrow(why)
  })
})
