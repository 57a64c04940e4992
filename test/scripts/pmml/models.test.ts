import { describe, expect, test } from 'vitest'
import { aPmml, open, SCHEMA } from '../../support/a-pmml.ts'

const CLASSES = `
  <DataField name="x" optype="continuous" dataType="double"/>
  <DataField name="y" optype="continuous" dataType="double"/>
  <DataField name="c" optype="categorical" dataType="string"/>
  <DataField name="d" optype="categorical" dataType="string"/>
  <DataField name="t" optype="OPTYPE" dataType="string"><Value value="low"/><Value value="mid"/><Value value="high"/></DataField>`

interface Predicted {
  readonly probabilities: Record<string, number>
}

const outcomeOf = (model: string, row = {}, dictionary?: string) =>
  open(aPmml(model, dictionary ? { dictionary } : {})).evaluate(row)

describe('RegressionModel', () => {
  const predictor = '<NumericPredictor name="x" coefficient="1"/>'
  const number = (normalization: string, inner = predictor, targets = '') =>
    `<RegressionModel functionName="regression" normalizationMethod="${normalization}">${SCHEMA}${targets}
      <RegressionTable intercept="0">${inner}</RegressionTable></RegressionModel>`

  /** @see https://dmg.org/pmml/v4-4/Regression.html, normalizationMethod */
  test.each([
    ['none', 0.5],
    ['softmax', 1 / (1 + Math.exp(-0.5))],
    ['logit', 1 / (1 + Math.exp(-0.5))],
    ['probit', 0.6914624612740131],
    ['cloglog', 1 - Math.exp(-Math.exp(0.5))],
    ['loglog', Math.exp(-Math.exp(-0.5))],
    ['cauchit', 0.5 + Math.atan(0.5) / Math.PI],
    ['exp', Math.exp(0.5)],
  ])('a number, normalised by %s', (normalization, expected) => {
    const outcome = outcomeOf(number(normalization), { x: 0.5 })
    expect(outcome).toMatchObject({ value: expect.closeTo(expected, 12) })
  })

  test('exponents and products of predictors; an unlisted category adds nothing', () => {
    const inner = `<NumericPredictor name="x" exponent="3" coefficient="2"/>
      <CategoricalPredictor name="c" value="a" coefficient="10"/><CategoricalPredictor name="c" value="b" coefficient="20"/>
      <PredictorTerm coefficient="0.5"><FieldRef field="x"/><FieldRef field="y"/><FieldRef field="y"/></PredictorTerm>`
    expect(outcomeOf(number('none', inner), { x: 2, y: 3, c: 'b' })).toMatchObject({ value: 16 + 20 + 9 })
    expect(outcomeOf(number('none', inner), { x: 2, y: 3, c: 'z' })).toMatchObject({ value: 16 + 9 })
    expect(outcomeOf(number('none', inner), { x: 2, y: 3 })).toMatchObject({ value: 16 + 9 })
  })

  test('each predictor reports its contribution', () => {
    const inner = `<NumericPredictor name="x" coefficient="2"/><CategoricalPredictor name="c" value="a" coefficient="10"/>`
    expect(outcomeOf(number('none', inner), { x: 2, c: 'a' })).toMatchObject({
      contributions: [
        { characteristic: 'x', input: 2, bin: '× 2', points: 4 },
        { characteristic: 'c', input: 'a', bin: 'a', points: 10 },
      ],
    })
  })

  test('a missing number gives no score or the default value of the target', () => {
    expect(outcomeOf(number('none'))).toEqual({ noScore: 'x is missing' })
    const targets = '<Targets><Target field="t"><TargetValue defaultValue="42"/></Target></Targets>'
    expect(outcomeOf(number('none', predictor, targets))).toMatchObject({ value: 42 })
  })

  /** JPMML treats it like a prediction; the standard does not define it. */
  test('a default value is clamped, rescaled and cast like a prediction', () => {
    const targets = (attributes: string) =>
      `<Targets><Target field="t" ${attributes}><TargetValue defaultValue="10"/></Target></Targets>`
    const value = (attributes: string) => outcomeOf(number('none', predictor, targets(attributes)))
    expect(value('rescaleFactor="2" rescaleConstant="1"')).toMatchObject({ value: 21 })
    expect(value('max="4" rescaleFactor="0.6" castInteger="ceiling"')).toMatchObject({ value: 3 })
  })

  test('a sum slightly over 1, caused by rounded coefficients, is accepted', () => {
    const dictionary = CLASSES.replace('OPTYPE', 'categorical')
    const model = classes('none', ['low', 0.7], ['mid', 0.3 + 1e-9], ['high', 0])
    expect(outcomeOf(model, { x: 1 }, dictionary)).toMatchObject({ probabilities: { high: 0 } })
  })

  /** @see https://dmg.org/pmml/v4-4/Targets.html: min and max, rescaleFactor, rescaleConstant, castInteger, in this order */
  test.each([
    ['', 2.6, 2.6],
    ['min="3" max="5"', 2.6, 3],
    ['min="3" max="5"', 6, 5],
    ['rescaleFactor="3" rescaleConstant="1"', 2, 7],
    ['max="2" rescaleFactor="3" rescaleConstant="0.5" castInteger="floor"', 9, 6],
    ['castInteger="round"', -2.89, -3],
    ['castInteger="round"', 2.5, 3],
    ['castInteger="round"', -2.5, -2],
    ['castInteger="ceiling"', -1.2, -1],
    ['castInteger="floor"', Math.E, 2],
  ])('the target %s makes %j of %j', (attributes, x, expected) => {
    const targets = `<Targets><Target field="t" ${attributes}/></Targets>`
    expect(outcomeOf(number('none', predictor, targets), { x })).toMatchObject({ value: expected })
  })

  const classes = (normalization: string, ...tables: (readonly [string, number])[]) =>
    `<RegressionModel functionName="classification" normalizationMethod="${normalization}">${SCHEMA}${tables
      .map(([category, slope]) =>
        slope === 0
          ? `<RegressionTable intercept="0" targetCategory="${category}"/>`
          : `<RegressionTable intercept="0" targetCategory="${category}"><NumericPredictor name="x" coefficient="${slope}"/></RegressionTable>`,
      )
      .join('')}</RegressionModel>`

  test.each([
    ['logit', 'a', { a: 1 / (1 + Math.exp(-0.5)), b: 1 / (1 + Math.exp(0.5)) }],
    ['softmax', 'a', { a: 1 / (1 + Math.exp(-0.5)), b: 1 / (1 + Math.exp(0.5)) }],
    ['probit', 'a', { a: 0.6914624612740131, b: 1 - 0.6914624612740131 }],
    ['none', 'a', { a: 0.5, b: 0.5 }],
  ])('two categories, normalised by %s, whichever table is empty', (normalization, category, expected) => {
    const close = Object.fromEntries(
      Object.entries(expected).map(([name, value]) => [name, expect.closeTo(value, 12)]),
    )
    const first = outcomeOf(classes(normalization, ['a', 1], ['b', 0]), { x: 0.5 })
    expect(first).toMatchObject({ value: null, category, probabilities: close })
    expect(outcomeOf(classes(normalization, ['b', 0], ['a', 1]), { x: 0.5 })).toMatchObject({
      probabilities: close,
    })
  })

  test('three categories: softmax never overflows, simplemax divides, none assigns the remainder to the last category', () => {
    const three = (normalization: string) => classes(normalization, ['a', 1], ['b', 2], ['z', 5])
    expect(outcomeOf(three('softmax'), { x: 1_000 })).toMatchObject({
      category: 'z',
      probabilities: { a: 0, b: 0, z: 1 },
    })
    expect(outcomeOf(three('simplemax'), { x: 3 })).toMatchObject({
      probabilities: { a: 0.125, b: 0.25, z: 0.625 },
    })
    expect(outcomeOf(three('none'), { x: 0.25 })).toMatchObject({
      probabilities: { a: 0.25, b: 0.5, z: 0.25 },
    })
  })

  test('ordinal categories: the tables are cumulative', () => {
    const model = `<RegressionModel functionName="classification" normalizationMethod="logit">${SCHEMA}
      <RegressionTable intercept="-1" targetCategory="low"/><RegressionTable intercept="1" targetCategory="mid"/>
      <RegressionTable intercept="0" targetCategory="high"/></RegressionModel>`
    const low = 1 / (1 + Math.exp(1))
    const lowOrMid = 1 / (1 + Math.exp(-1))
    expect(outcomeOf(model, {}, CLASSES.replace('OPTYPE', 'ordinal'))).toMatchObject({
      category: 'mid',
      probabilities: {
        low: expect.closeTo(low, 12),
        mid: expect.closeTo(lowOrMid - low, 12),
        high: expect.closeTo(1 - lowOrMid, 12),
      },
    })
  })

  test('prior probabilities replace a missing prediction', () => {
    const model = classes('logit', ['a', 1], ['b', 0]).replace(
      '</MiningSchema>',
      `</MiningSchema><Targets><Target field="t" optype="categorical"><TargetValue value="a" priorProbability="0.3"/>
        <TargetValue value="b" priorProbability="0.7"/></Target></Targets>`,
    )
    expect(outcomeOf(model)).toMatchObject({ category: 'b', probabilities: { a: 0.3, b: 0.7 } })
  })
})

describe('TreeModel', () => {
  const node = (predicate: string, attributes = '', inner = '') =>
    `<Node ${attributes}>${predicate}${inner}</Node>`
  const is = (operator: string, value: unknown, field = 'x') =>
    `<SimplePredicate field="${field}" operator="${operator}" value="${value}"/>`
  const tree = (attributes: string, root: string) =>
    `<TreeModel functionName="regression" ${attributes}>${SCHEMA}${root}</TreeModel>`
  const split = node(
    '<True/>',
    'score="1"',
    node(is('lessThan', 5), 'score="2"') + node(is('greaterThan', 5), 'score="3"'),
  )

  test('the first branch with a true predicate is followed', () => {
    expect(outcomeOf(tree('', split), { x: 4 })).toMatchObject({ value: 2 })
    expect(outcomeOf(tree('', split), { x: 6 })).toMatchObject({ value: 3 })
  })

  test.each([
    ['', { noScore: 'no branch of the tree matches' }],
    ['noTrueChildStrategy="returnNullPrediction"', { noScore: 'no branch of the tree matches' }],
    ['noTrueChildStrategy="returnLastPrediction"', { value: 1 }],
  ])('no true branch: %s', (attributes, expected) => {
    expect(outcomeOf(tree(attributes, split), { x: 5 })).toMatchObject(expected)
    // a missing value is not true either without a strategy for missing values
    expect(outcomeOf(tree(attributes, split))).toMatchObject(expected)
  })

  test.each([
    ['lastPrediction', { value: 1 }],
    ['nullPrediction', { noScore: 'a field that the tree splits by is missing' }],
  ])('%s stops at the first unknown branch, even if a later one is true', (strategy, expected) => {
    const later = node(
      '<True/>',
      'score="1"',
      node(is('lessThan', 5), 'score="2"') + node('<True/>', 'score="3"'),
    )
    expect(outcomeOf(tree(`missingValueStrategy="${strategy}"`, later))).toMatchObject(expected)
    expect(outcomeOf(tree('', later))).toMatchObject({ value: 3 })
  })

  test('defaultChild continues with the child of that id', () => {
    const root = node(
      '<True/>',
      'id="1" score="1" defaultChild="3"',
      node(is('lessThan', 5), 'id="2" score="2"') + node(is('greaterOrEqual', 5), 'id="3" score="3"'),
    )
    expect(outcomeOf(tree('missingValueStrategy="defaultChild"', root))).toMatchObject({ value: 3 })
  })

  test('a node without a score gives the most frequent category, with probabilities from recordCount if it has none', () => {
    const leaf = (predicate: string, a: number, b: number) =>
      node(
        predicate,
        '',
        `<ScoreDistribution value="low" recordCount="${a}"/><ScoreDistribution value="high" recordCount="${b}"/>`,
      )
    const model = `<TreeModel functionName="classification">${SCHEMA}${node('<True/>', 'score="low"', leaf(is('lessThan', 5), 1, 3) + leaf('<True/>', 4, 1))}</TreeModel>`
    const dictionary = CLASSES.replace('OPTYPE', 'categorical')
    expect(outcomeOf(model, { x: 1 }, dictionary)).toEqual({
      value: null,
      category: 'high',
      probabilities: { low: 0.25, mid: 0, high: 0.75 },
      contributions: [],
    })
    expect(outcomeOf(model, { x: 9 }, dictionary)).toMatchObject({
      category: 'low',
      probabilities: { low: 0.8 },
    })
  })

  test('a surrogate is used if the first predicate is missing, and lowers the confidence', () => {
    const both = (x: string, y: string) =>
      `<CompoundPredicate booleanOperator="surrogate">${x}${y}</CompoundPredicate>`
    const leaf = (predicate: string, score: string) =>
      node(
        predicate,
        `score="${score}"`,
        '<ScoreDistribution value="low" recordCount="1" confidence="0.5"/><ScoreDistribution value="high" recordCount="1" confidence="0.5"/>',
      )
    const model = `<TreeModel functionName="classification" missingValuePenalty="0.8">${SCHEMA}
      <Output><OutputField name="sure" feature="confidence" optype="continuous" dataType="double"/></Output>${node(
        '<True/>',
        'score="low"',
        leaf(both(is('lessThan', 5), is('lessThan', 5, 'y')), 'low') +
          leaf(both(is('greaterOrEqual', 5), is('greaterOrEqual', 5, 'y')), 'high'),
      )}</TreeModel>`
    const compiled = open(aPmml(model, { dictionary: CLASSES.replace('OPTYPE', 'categorical') }))
    const result = (row: object) => {
      const { outcome, outputs } = compiled.evaluateOutputs(row as never)
      return 'noScore' in outcome ? outcome.noScore : [outcome.category, outputs.sure]
    }
    expect(result({ x: 9, y: 1 })).toEqual(['high', 0.5])
    expect(result({ y: 9 })).toEqual(['high', 0.4])
    expect(result({})).toBe('no branch of the tree matches')
  })

  /** Three-valued logic: left, right, then `and`, `or` and `xor` of both. @see the tables of the standard's predicates */
  test.each([
    ['T', 'T', 'T', 'T', 'F'],
    ['T', 'F', 'F', 'T', 'T'],
    ['T', 'U', 'U', 'T', 'U'],
    ['F', 'T', 'F', 'T', 'T'],
    ['F', 'F', 'F', 'F', 'F'],
    ['F', 'U', 'F', 'U', 'U'],
    ['U', 'T', 'U', 'T', 'U'],
    ['U', 'F', 'F', 'U', 'U'],
    ['U', 'U', 'U', 'U', 'U'],
  ])('%s and %s: and %s, or %s, xor %s', (left, right, and, or, xor) => {
    const truth: Record<string, string> = {
      T: is('lessThan', 5),
      F: is('greaterThan', 5),
      U: is('lessThan', 5, 'y'),
    }
    for (const [operator, expected] of Object.entries({ and, or, xor })) {
      const compound = `<CompoundPredicate booleanOperator="${operator}">${truth[left]}${truth[right]}</CompoundPredicate>`
      const root = node('<True/>', 'score="0"', node(compound, 'score="1"'))
      // the strategy distinguishes unknown from false
      const outcome = outcomeOf(
        tree('missingValueStrategy="nullPrediction" noTrueChildStrategy="returnLastPrediction"', root),
        { x: 1 },
      )
      const result = 'noScore' in outcome ? 'U' : outcome.value === 1 ? 'T' : 'F'
      expect(result, operator).toBe(expected)
    }
  })

  test('isIn, isNotIn, isMissing, isNotMissing; a value with spaces is quoted', () => {
    const set = (operator: string) =>
      `<SimpleSetPredicate field="c" booleanOperator="${operator}"><Array n="3" type="string">red "light blue" "a \\"b\\""</Array></SimpleSetPredicate>`
    const result = (predicate: string, row: object) => {
      const outcome = outcomeOf(
        tree(
          'missingValueStrategy="nullPrediction" noTrueChildStrategy="returnLastPrediction"',
          node('<True/>', 'score="0"', node(predicate, 'score="1"')),
        ),
        row,
      )
      return 'noScore' in outcome ? 'unknown' : outcome.value
    }
    expect(['red', 'light blue', 'a "b"', 'blue', undefined].map((c) => result(set('isIn'), { c }))).toEqual([
      1,
      1,
      1,
      0,
      'unknown',
    ])
    expect(['red', 'blue', undefined].map((c) => result(set('isNotIn'), { c }))).toEqual([0, 1, 'unknown'])
    const missing = (operator: string) => `<SimplePredicate field="c" operator="${operator}"/>`
    expect([result(missing('isMissing'), {}), result(missing('isMissing'), { c: 'a' })]).toEqual([1, 0])
    expect([result(missing('isNotMissing'), {}), result(missing('isNotMissing'), { c: 'a' })]).toEqual([0, 1])
  })
})

describe('MiningModel', () => {
  /** A segment that predicts a number, or nothing if x is missing. */
  const segment = (value: number, { weight = 1, predicate = '<True/>', id = '' } = {}) =>
    `<Segment weight="${weight}" ${id && `id="${id}"`}>${predicate}<RegressionModel functionName="regression">${SCHEMA}
      <RegressionTable intercept="${value}"><NumericPredictor name="${value < 0 ? 'y' : 'x'}" coefficient="0"/></RegressionTable></RegressionModel></Segment>`
  const mining = (method: string, segments: string, attributes = '', functionName = 'regression') =>
    `<MiningModel functionName="${functionName}">${SCHEMA}<Segmentation multipleModelMethod="${method}" ${attributes}>${segments}</Segmentation></MiningModel>`
  const three = segment(1, { weight: 0.5 }) + segment(2, { weight: 0.25 }) + segment(6, { weight: 0.75 })

  test.each([
    ['sum', 9],
    ['average', 3],
    ['weightedAverage', (0.5 + 0.5 + 4.5) / 1.5],
    ['weightedSum', 5.5],
    ['median', 2],
    ['selectFirst', 1],
    ['modelChain', 6],
  ])('%s of numbers', (method, expected) => {
    expect(outcomeOf(mining(method, three), { x: 0 })).toMatchObject({ value: expect.closeTo(expected, 12) })
  })

  const below = (value: number) => `<SimplePredicate field="x" operator="lessThan" value="${value}"/>`

  test('only segments with a true predicate count', () => {
    const segments = segment(1, { predicate: below(0) }) + segment(2, { predicate: below(5) }) + segment(4)
    expect(outcomeOf(mining('sum', segments), { x: 3 })).toMatchObject({ value: 6 })
    expect(outcomeOf(mining('selectFirst', segments), { x: 3 })).toMatchObject({ value: 2 })
    expect(outcomeOf(mining('selectFirst', segment(1, { predicate: below(0) })), { x: 3 })).toEqual({
      noScore: 'no segment matches',
    })
  })

  /** The segment of −3 predicts nothing, as y is missing. */
  test.each([
    ['average', 'continue', '1', { noScore: 'y is missing' }],
    ['average', 'returnMissing', '1', { noScore: 'y is missing' }],
    ['average', 'skipSegment', '1', { value: 3 }],
    ['average', 'skipSegment', '0.5', { value: 3 }],
    ['average', 'skipSegment', '0.2', { noScore: 'y is missing' }],
    // weights of segments count even for a method without weights: 1 of 2.5 is missing, as in JPMML
    ['average', 'skipSegment', '0.3', { noScore: 'y is missing' }],
    ['modelChain', 'returnMissing', '1', { noScore: 'y is missing' }],
    ['modelChain', 'continue', '1', { value: 6 }],
  ])('a segment without prediction: %s, %s, threshold %s', (method, treatment, threshold, expected) => {
    const model = mining(
      method,
      segment(-3) + three,
      `missingPredictionTreatment="${treatment}" missingThreshold="${threshold}"`,
    )
    expect(outcomeOf(model, { x: 0 })).toMatchObject(expected)
  })

  /** Probabilities of low, mid and high. */
  const voter = (weight: number, ...shares: number[]) =>
    `<Segment weight="${weight}"><True/><TreeModel functionName="classification">${SCHEMA}<Node><True/>${[
      'low',
      'mid',
      'high',
    ]
      .map((value, at) => `<ScoreDistribution value="${value}" recordCount="${shares[at]}"/>`)
      .join('')}</Node></TreeModel></Segment>`
  const voters = voter(1, 6, 4, 0) + voter(1, 5, 5, 0) + voter(4, 1, 0, 9)

  test.each([
    ['majorityVote', 'low', [2 / 3, 0, 1 / 3]],
    ['weightedMajorityVote', 'high', [2 / 6, 0, 4 / 6]],
    ['average', 'low', [0.4, 0.3, 0.3]],
    ['weightedAverage', 'high', [1.5 / 6, 0.9 / 6, 3.6 / 6]],
    ['max', 'high', [0.1, 0, 0.9]],
    ['median', 'low', [0.5, 0.5, 0]],
  ])('%s of categories', (method, category, shares) => {
    const dictionary = CLASSES.replace('OPTYPE', 'categorical')
    expect(outcomeOf(mining(method, voters, '', 'classification'), {}, dictionary)).toMatchObject({
      category,
      probabilities: {
        low: expect.closeTo(shares[0] ?? 0, 12),
        mid: expect.closeTo(shares[1] ?? 0, 12),
        high: expect.closeTo(shares[2] ?? 0, 12),
      },
    })
  })

  test('a chain passes on outputs: probabilities, expressions of them, and whether a segment has a score', () => {
    const schema = (...names: string[]) =>
      `<MiningSchema>${names.map((name) => `<MiningField name="${name}"/>`).join('')}</MiningSchema>`
    const chain = mining(
      'modelChain',
      `<Segment id="odds"><True/><RegressionModel functionName="classification" normalizationMethod="logit">${schema('x')}
        <Output><OutputField name="pBad" optype="continuous" dataType="double" feature="probability" value="bad" isFinalResult="false"/>
          <OutputField name="logOdds" optype="continuous" dataType="double" feature="transformedValue">
            <Apply function="ln"><Apply function="/"><FieldRef field="pBad"/><Apply function="-"><Constant>1</Constant><FieldRef field="pBad"/></Apply></Apply></Apply></OutputField>
          <OutputField name="what" optype="categorical" dataType="string" feature="predictedValue"/></Output>
        <RegressionTable intercept="-2" targetCategory="bad"><NumericPredictor name="x" coefficient="1"/></RegressionTable>
        <RegressionTable intercept="0" targetCategory="good"/></RegressionModel></Segment>
      <Segment id="points"><SimplePredicate field="what" operator="equal" value="good"/><RegressionModel functionName="regression">${schema('logOdds')}
        <RegressionTable intercept="600"><NumericPredictor name="logOdds" coefficient="-20"/></RegressionTable></RegressionModel></Segment>
      <Segment id="none"><SimplePredicate field="what" operator="equal" value="bad"/><RegressionModel functionName="regression">${schema()}
        <RegressionTable intercept="300"/></RegressionModel></Segment>`,
    )
    expect(outcomeOf(chain, { x: 1 })).toMatchObject({ value: expect.closeTo(620, 9) })
    expect(outcomeOf(chain, { x: 3 })).toMatchObject({ value: 300 })
  })

  describe('a chain whose last segment has a false predicate', () => {
    const step = (id: string, predicate: string, value: number, output = '', read = '') =>
      `<Segment id="${id}">${predicate}<RegressionModel functionName="regression"><MiningSchema/>
        ${output && `<Output><OutputField name="${output}" optype="continuous" dataType="double" feature="predictedValue"/></Output>`}
        <RegressionTable intercept="${value}">${read && `<NumericPredictor name="${read}" coefficient="1"/>`}</RegressionTable></RegressionModel></Segment>`
    const when = (operator: string, value: number, field = 'x') =>
      `<SimplePredicate field="${field}" operator="${operator}" value="${value}"/>`
    const none = { noScore: 'no final segment matches' }

    test('gives no score, since earlier segments are intermediate steps', () => {
      const chain = mining(
        'modelChain',
        step('a', '<True/>', 1, 'a') + step('b', when('greaterThan', 0), 10, '', 'a'),
      )
      expect(outcomeOf(chain, { x: 1 })).toMatchObject({ value: 11 })
      expect(outcomeOf(chain, { x: 0 })).toEqual(none)
      expect(outcomeOf(chain)).toEqual(none)
      const unread = mining('modelChain', step('a', '<True/>', 1) + step('b', when('greaterThan', 0), 10))
      expect(outcomeOf(unread, { x: 0 })).toEqual(none)
    })

    test('gives the result of its alternative', () => {
      const low = step('low', when('lessThan', 5, 'a'), 20)
      const high = step('high', when('greaterThan', 5, 'a'), 30)
      const chain = (a: number) => mining('modelChain', step('a', '<True/>', a, 'a') + low + high)
      expect(outcomeOf(chain(1))).toMatchObject({ value: 20 })
      expect(outcomeOf(chain(9))).toMatchObject({ value: 30 })
      expect(outcomeOf(chain(5))).toEqual(none)
    })

    test('gives no score if that segment cannot predict and is skipped', () => {
      const chain = mining(
        'modelChain',
        step('a', '<True/>', 1) + step('b', '<True/>', 10, '', 'x'),
        'missingPredictionTreatment="skipSegment"',
      )
      expect(outcomeOf(chain, { x: 1 })).toMatchObject({ value: 11 })
      expect(outcomeOf(chain)).toHaveProperty('noScore')
    })
  })

  describe('shares of categories are added by category in any order', () => {
    const order = { dictionary: CLASSES.replace('OPTYPE', 'categorical') }
    const logit = (first: string, second: string, intercept: number) =>
      `<RegressionModel functionName="classification" normalizationMethod="logit"><MiningSchema/>
        <RegressionTable intercept="${intercept}" targetCategory="${first}"/><RegressionTable intercept="0" targetCategory="${second}"/></RegressionModel>`
    const within = (method: string, model: string) =>
      `<MiningModel functionName="classification"><MiningSchema/><Segmentation multipleModelMethod="${method}">
        <Segment><True/>${model}</Segment></Segmentation></MiningModel>`
    /** Probability of `high`. */
    const [p, q] = [1 / (1 + Math.exp(-2)), 1 / (1 + Math.exp(1))]

    test.each([
      ['average', (p + q) / 2],
      ['weightedAverage', (p + 3 * q) / 4],
      ['max', p],
      ['median', (p + q) / 2],
    ])('%s of chains and selections', (method, expected) => {
      for (const inner of ['modelChain', 'selectFirst']) {
        const model = mining(
          method,
          `<Segment weight="1"><True/>${within(inner, logit('high', 'low', 2))}</Segment>
           <Segment weight="3"><True/>${within(inner, logit('low', 'high', 1))}</Segment>`,
          '',
          'classification',
        )
        const { probabilities } = open(aPmml(model, order)).evaluate({}) as Predicted
        expect(probabilities.high).toBeCloseTo(expected, 12)
        expect(probabilities.low).toBeCloseTo(1 - expected, 12)
      }
    })

    test('prior probabilities of a segment too', () => {
      const prior = `<RegressionModel functionName="classification" normalizationMethod="logit"><MiningSchema/>
        <Targets><Target field="t"><TargetValue value="high" priorProbability="0.9"/><TargetValue value="low" priorProbability="0.1"/></Target></Targets>
        <RegressionTable intercept="0" targetCategory="low"><NumericPredictor name="x" coefficient="1"/></RegressionTable>
        <RegressionTable intercept="0" targetCategory="high"/></RegressionModel>`
      const model = mining('average', `<Segment><True/>${prior}</Segment>`, '', 'classification')
      expect(open(aPmml(model, order)).evaluate({})).toMatchObject({ probabilities: { high: 0.9, low: 0.1 } })
    })
  })

  test('the category with the first vote wins a tie', () => {
    const dictionary = CLASSES.replace('OPTYPE', 'categorical')
    const tie = voter(1, 0, 0, 1) + voter(1, 1, 0, 0)
    expect(outcomeOf(mining('majorityVote', tie, '', 'classification'), {}, dictionary)).toMatchObject({
      category: 'high',
      probabilities: { low: 0.5, mid: 0, high: 0.5 },
    })
  })

  describe('32-bit floats for x-mathContext="float"', () => {
    const float = 'x-mathContext="float"'
    const leaf = (score: number, weight = 1) =>
      `<Segment weight="${weight}"><True/><TreeModel functionName="regression" ${float}><MiningSchema/><Node score="${score}"><True/></Node></TreeModel></Segment>`
    const inFloat = (method: string, segments: string, targets = '') =>
      mining(method, segments)
        .replace('functionName=', `${float} functionName=`)
        .replace('<Segmentation', `${targets}<Segmentation`)
    const leaves = [0.1, 0.2, 0.30000001192092896, -0.7, 0.123456789].map((score) => leaf(score)).join('')
    const targets = '<Targets><Target field="t" rescaleConstant="0.5"/></Targets>'

    // expected numbers from float32 of numpy 2.4.6, one operation after the other
    test('a sum of leaves and a constant', () => {
      expect(outcomeOf(inFloat('sum', leaves, targets))).toMatchObject({ value: 0.5234568119049072 })
      // in 64 bits 0.5234568009
      expect(
        outcomeOf(mining('sum', leaves).replace('<Segmentation', `${targets}<Segmentation`)),
      ).not.toMatchObject({
        value: 0.5234568119049072,
      })
    })

    test('averages', () => {
      const three = leaf(1.1, 0.1) + leaf(2.2, 0.2) + leaf(3.3, 0.3)
      expect(outcomeOf(inFloat('weightedAverage', three))).toMatchObject({ value: 2.566666603088379 })
      expect(outcomeOf(inFloat('average', three))).toMatchObject({ value: 2.200000047683716 })
    })

    test('a regression, whose intercept is added last as in JPMML, and its logistic function', () => {
      const regression = `<RegressionModel functionName="regression" ${float}>${SCHEMA}<RegressionTable intercept="0.1">
        <NumericPredictor name="x" coefficient="0.7"/><NumericPredictor name="y" exponent="2" coefficient="0.2"/></RegressionTable></RegressionModel>`
      expect(outcomeOf(regression, { x: 1.3, y: 1.7 })).toMatchObject({ value: 1.587999939918518 })
      const logit = `<RegressionModel functionName="classification" normalizationMethod="logit" ${float}>${SCHEMA}
        <RegressionTable intercept="0" targetCategory="bad"><NumericPredictor name="x" coefficient="1"/></RegressionTable>
        <RegressionTable intercept="0" targetCategory="good"/></RegressionModel>`
      const { probabilities } = open(aPmml(logit)).evaluate({ x: 0.5234568119049072 }) as Predicted
      expect(probabilities.bad).toBe(0.6279557347297668)
      expect(probabilities.good).toBe(Math.fround(1 - 0.6279557347297668))
    })
  })

  test('an inner model can define its own treatment of a field', () => {
    const inner = (treatment: string) =>
      `<Segment><True/><RegressionModel functionName="regression"><MiningSchema><MiningField name="x" ${treatment}/></MiningSchema>
        <RegressionTable intercept="0"><NumericPredictor name="x" coefficient="1"/></RegressionTable></RegressionModel></Segment>`
    const both = inner('missingValueReplacement="10"') + inner('missingValueReplacement="100"')
    expect(outcomeOf(mining('sum', both))).toMatchObject({ value: 110 })
    expect(outcomeOf(mining('sum', both), { x: 1 })).toMatchObject({ value: 2 })
    expect(
      outcomeOf(mining('sum', inner('outliers="asExtremeValues" lowValue="0" highValue="5"')), { x: 9 }),
    ).toMatchObject({ value: 5 })
  })
})

describe('Scorecard', () => {
  const card = (attributes: string, characteristics: string) =>
    `<Scorecard functionName="regression" ${attributes}>${SCHEMA}
      <Output><OutputField name="RC1" feature="reasonCode" rank="1" optype="categorical" dataType="string"/>
        <OutputField name="RC2" feature="reasonCode" rank="2" optype="categorical" dataType="string"/></Output>
      <Characteristics>${characteristics}</Characteristics></Scorecard>`
  const characteristic = (name: string, code: string, points: number, baseline?: number) =>
    `<Characteristic name="${name}" reasonCode="${code}" ${baseline === undefined ? '' : `baselineScore="${baseline}"`}>
      <Attribute partialScore="${points}"><True/></Attribute></Characteristic>`

  test.each([
    ['pointsBelow', 5, 10, 10, 10, ['A']],
    ['pointsAbove', 15, 10, 12, 10, ['A', 'B']],
    // a characteristic at the baseline is not a reason
    ['pointsBelow', 10, 10, 10, 10, []],
    // ties are in the order of the file
    ['pointsBelow', 5, 10, 5, 10, ['A', 'B']],
    ['pointsBelow', 6, 10, 5, 10, ['B', 'A']],
  ])('%s: %i of %i and %i of %i', (algorithm, a, baseA, b, baseB, expected) => {
    const model = open(
      aPmml(
        card(
          `reasonCodeAlgorithm="${algorithm}"`,
          characteristic('a', 'A', a, baseA) + characteristic('b', 'B', b, baseB),
        ),
      ),
    )
    const { outcome, outputs } = model.evaluateOutputs({})
    expect(outcome).toMatchObject({ value: a + b, reasonCodes: expected })
    expect(outputs).toEqual({ RC1: expected[0], RC2: expected[1] })
  })

  test('differences of one code are added; the code of an attribute overrides that of its characteristic', () => {
    const own = `<Characteristic name="c" reasonCode="C" baselineScore="10"><Attribute partialScore="1" reasonCode="OWN">
      <SimplePredicate field="x" operator="lessThan" value="5"/></Attribute><Attribute partialScore="0"><True/></Attribute></Characteristic>`
    const model = open(
      aPmml(card('', characteristic('a', 'S', 5, 10) + characteristic('b', 'S', 4, 10) + own)),
    )
    expect(model.evaluate({ x: 1 })).toMatchObject({ reasonCodes: ['S', 'OWN'] })
    expect(model.evaluate({ x: 9 })).toMatchObject({ reasonCodes: ['S', 'C'] })
  })

  test('the baseline of the scorecard applies to every characteristic without one', () => {
    const model = open(
      aPmml(card('baselineScore="8"', characteristic('a', 'A', 5) + characteristic('b', 'B', 5, 5))),
    )
    expect(model.evaluate({})).toMatchObject({ reasonCodes: ['A'] })
  })

  test('every characteristic reports its input, bin, points and baseline', () => {
    const bins = `<Characteristic name="age" reasonCode="AGE" baselineScore="18">
      <Attribute partialScore="-1"><SimplePredicate field="x" operator="isMissing"/></Attribute>
      <Attribute partialScore="0"><CompoundPredicate booleanOperator="and"><SimplePredicate field="x" operator="greaterThan" value="18"/>
        <SimplePredicate field="x" operator="lessOrEqual" value="29"/></CompoundPredicate></Attribute>
      <Attribute partialScore="7"><SimpleSetPredicate field="x" booleanOperator="isIn"><Array type="real">40 41</Array></SimpleSetPredicate></Attribute>
      <Attribute partialScore="9"><SimplePredicate field="x" operator="greaterThan" value="50"/></Attribute></Characteristic>`
    const model = open(aPmml(card('initialScore="100"', bins)))
    const result = (x?: number) => {
      const outcome = model.evaluate({ x })
      return 'noScore' in outcome ? outcome.noScore : { value: outcome.value, ...outcome.contributions[0] }
    }
    const common = { characteristic: 'age', baseline: 18, reasonCode: 'AGE' }
    expect(result()).toEqual({ ...common, value: 99, input: null, bin: 'missing', points: -1 })
    expect(result(29)).toEqual({ ...common, value: 100, input: 29, bin: '(18, 29]', points: 0 })
    expect(result(41)).toEqual({ ...common, value: 107, input: 41, bin: '40, 41', points: 7 })
    expect(result(51)).toEqual({ ...common, value: 109, input: 51, bin: '> 50', points: 9 })
    expect(result(30)).toBe('no attribute of age matches 30')
  })
})
