import { describe, expect, test } from 'vitest'
import { importPmml } from '../../../scripts/scorecards/import/pmml/import-pmml.ts'
import { BUILT_IN_NAMES } from '../../../worker/scoring/pmml/functions.ts'
import { aModelThatPutsOut, aPmml, evaluate } from '../../support/a-pmml.ts'

const written = (value: unknown) =>
  value === 'x' || value === 'y' || value === 'c' || value === 'd'
    ? `<FieldRef field="${value}"/>`
    : value === undefined
      ? '<Constant missing="true"/>'
      : `<Constant dataType="${typeof value === 'number' ? 'double' : typeof value}">${String(value).replaceAll('&', '&amp;')}</Constant>`

const apply = (name: string, ...args: unknown[]) =>
  `<Apply function="${name.replaceAll('<', '&lt;')}">${args.map(written).join('')}</Apply>`

/**
 * Function, arguments and result, from the examples of the standard where it has some; the normal distribution from
 * tables (Abramowitz and Stegun, tables 26.1 and 7.1), the others by definition.
 *
 * @see https://dmg.org/pmml/v4-4/BuiltinFunctions.html
 */
const FUNCTIONS: readonly (readonly [string, readonly unknown[], unknown])[] = [
  ['+', [2.5, 4], 6.5],
  ['-', [2.5, 4], -1.5], // the example of the standard
  ['*', [2.5, 4], 10],
  ['/', [1, 4], 0.25],
  ['min', [3, 1, 2], 1],
  ['max', [3, 1, 2], 3],
  ['sum', [3, 1, 2], 6],
  ['avg', [3, 1, 2], 2],
  ['median', [3, 1, 2], 2],
  ['median', [4, 1, 2, 3], 2.5],
  ['product', [3, 1, 2], 6],
  ['sum', [3, undefined, 2], 5],
  ['sum', [undefined, undefined], undefined],
  ['log10', [1000], 3],
  ['ln', [Math.E], 1],
  ['sqrt', [9], 3],
  ['abs', [-2], 2],
  ['exp', [0], 1],
  ['pow', [2, 10], 1024],
  ['threshold', [2, 1], 1],
  ['threshold', [1, 1], 0],
  ['floor', [-1.5], -2],
  ['ceil', [-1.5], -1],
  ['round', [2.5], 3],
  ['rint', [2.5], 2],
  ['rint', [3.5], 4],
  ['rint', [-2.5], -2],
  ['modulo', [11, -4], -1], // examples of the standard
  ['modulo', [-11, 4], 1],
  ['expm1', [0], 0],
  ['ln1p', [0], 0],
  ['hypot', [3, 4], 5],
  ['sin', [0], 0],
  ['asin', [1], Math.PI / 2],
  ['sinh', [0], 0],
  ['cos', [0], 1],
  ['acos', [1], 0],
  ['cosh', [0], 1],
  ['tan', [0], 0],
  ['atan', [1], Math.PI / 4],
  ['tanh', [0], 0],
  ['erf', [0.5], 0.5204998778130465],
  ['erf', [-3], -0.9999779095030014],
  ['stdNormalCDF', [1.96], 0.9750021048517795],
  ['stdNormalCDF', [-6], 9.865876450377018e-10],
  ['normalCDF', [12, 10, 2], 0.8413447460685429],
  ['stdNormalPDF', [0], 0.3989422804014327],
  ['normalPDF', [10, 10, 2], 0.19947114020071635],
  ['stdNormalIDF', [0.975], 1.959963984540054],
  ['normalIDF', [0.5, 10, 2], 10],
  ['isMissing', [undefined], true],
  ['isMissing', [1], false],
  ['isNotMissing', [1], true],
  ['isValid', ['x'], true],
  ['isNotValid', ['x'], false],
  ['equal', [1, 1], true],
  ['equal', ['1', 1], true],
  ['notEqual', ['a', 'b'], true],
  ['lessThan', [1, 2], true],
  ['lessOrEqual', [2, 2], true],
  ['greaterThan', [1, 2], false],
  ['greaterOrEqual', ['b', 'a'], true],
  ['and', [true, true, false], false],
  ['and', [undefined, false], false],
  ['and', [undefined, true], undefined],
  ['or', [false, true], true],
  ['or', [undefined, true], true],
  ['or', [undefined, false], undefined],
  ['not', [false], true],
  ['isIn', [2, 1, 2, 3], true],
  ['isNotIn', ['a', 'b', 'e'], true],
  ['if', [true, 1, 2], 1],
  ['if', [false, 1, 2], 2],
  ['if', [false, 1], undefined],
  ['if', [undefined, 1, 2], undefined],
  ['uppercase', ['abC'], 'ABC'],
  ['lowercase', ['aBc'], 'abc'],
  ['stringLength', ['aBc9x'], 5],
  ['substring', ['aBc9x', 2, 3], 'Bc9'], // the example of the standard
  ['trimBlanks', [' aBc9x '], 'aBc9x'],
  ['concat', ['2', '-', '2000'], '2-2000'],
  ['replace', ['BBBB', 'B+', 'e'], 'e'],
  ['replace', ['a-b', '(a)-(b)', '$2 costs $$1 or $&'], 'b costs $a or $&'],
  ['replace', ['one bee', '[aeiou]', '_'], '_n_ b__'],
  ['matches', ['April', 'ar?y'], false],
  ['matches', ['May', 'ar?y'], true],
  ['formatNumber', [2, '%3d'], '  2'], // the example of the standard
  ['formatNumber', [-2.456, '%07.2f'], '-002.46'],
  ['formatNumber', [12345.678, '%.2e'], '1.23e+04'],
  ['formatDatetime', ['2004-08-20', '%m/%d/%y'], '08/20/04'], // the example of the standard
  [
    'formatDatetime',
    ['2004-08-20T13:05:09', '%Y%j %H:%M:%S %I%p %F %T%%'],
    '2004233 13:05:09 01PM 2004-08-20 13:05:09%',
  ],
  ['dateDaysSinceYear', ['2003-04-01', 1960], 15796],
  ['dateDaysSinceYear', ['0099-01-01', 98], 365],
  ['formatDatetime', ['0050-02-01', '%j'], '032'],
  ['dateSecondsSinceYear', ['1960-01-03T03:30:03', 1960], 185403], // the example of the standard
  ['dateSecondsSinceMidnight', ['05:23:30'], 19410], // the example of the standard
]

describe('built-in functions', () => {
  test.each(FUNCTIONS)('%s of %j is %j', (name, args, expected) => {
    const result = evaluate(apply(name, ...args), { x: 1 })
    if (typeof expected === 'number') expect(result).toBeCloseTo(expected, 12)
    else expect(result).toBe(expected)
  })

  test.each([
    [0, 2],
    [-1, 3],
    [1.5, 2],
    [1, -1],
  ])('substring from %d of %d characters is invalid, as engines disagree on its meaning', (from, length) => {
    expect(evaluate(apply('substring', 'aBc9x', from, length), { x: 1 })).toMatch(
      /^substring of .* is invalid/,
    )
  })

  test('all of them are tested', () => {
    expect(new Set(FUNCTIONS.map(([name]) => name))).toEqual(new Set(BUILT_IN_NAMES))
  })

  test('a missing argument makes the result missing', () => {
    for (const name of ['+', 'equal', 'lessThan', 'pow', 'isIn'])
      expect(evaluate(apply(name, 1, 'x')), name).toBeUndefined()
    for (const name of ['ln', 'not', 'uppercase']) expect(evaluate(apply(name, 'x')), name).toBeUndefined()
  })

  test('mapMissingTo replaces the result if an argument is missing, defaultValue if the result is missing', () => {
    const sum = (attributes: string) =>
      `<Apply function="+" ${attributes}><FieldRef field="x"/><Constant>1</Constant></Apply>`
    expect(evaluate(sum('mapMissingTo="-1"'))).toBe(-1)
    expect(evaluate(sum('defaultValue="-2"'))).toBe(-2)
    expect(evaluate(sum('mapMissingTo="-1" defaultValue="-2"'), { x: 1 })).toBe(2)
  })

  test('a result that is not a number gives no score, is missing or is unchanged, as defined by the model', () => {
    const ln = (treatment: string) =>
      `<Apply function="ln" ${treatment && `invalidValueTreatment="${treatment}"`}><FieldRef field="x"/></Apply>`
    expect(evaluate(ln(''), { x: -1 })).toBe('the function ln has no valid result for this dataset')
    expect(evaluate(ln('asMissing'), { x: -1 })).toBeUndefined()
    expect(evaluate(ln('asIs'), { x: -1 })).toBeNaN()
  })

  test('an if without a third argument is missing if its condition is false, although no argument is missing', () => {
    const condition = apply('greaterThan', 'x', 0)
    const without = (attributes: string, then = '<Constant>1</Constant>') =>
      `<Apply function="if" ${attributes}>${condition}${then}</Apply>`
    expect(evaluate(without('mapMissingTo="-9"'), { x: -1 })).toBeUndefined()
    expect(evaluate(without('mapMissingTo="-9" defaultValue="7"'), { x: -1 })).toBe(7)
    expect(evaluate(without('mapMissingTo="-9"'), { x: 1 })).toBe(1)
    expect(evaluate(without('mapMissingTo="-9"'))).toBe(-9)
    expect(evaluate(without('mapMissingTo="-9"', '<FieldRef field="y"/>'), { x: 1 })).toBe(-9)
  })

  test('if computes only the selected branch', () => {
    const guarded = `<Apply function="if">${apply('greaterThan', 'x', 0)}${apply('ln', 'x')}<Constant>0</Constant></Apply>`
    expect(evaluate(guarded, { x: -1 })).toBe(0)
    expect(evaluate(guarded, { x: 1 })).toBe(0)
  })
})

describe('transformations', () => {
  /** @see https://dmg.org/pmml/v4-4/Transformations.html, the picture of NormContinuous */
  const norm = (outliers: string) => `<NormContinuous field="x" outliers="${outliers}" mapMissingTo="-9">
    <LinearNorm orig="0" norm="1"/><LinearNorm orig="10" norm="3"/><LinearNorm orig="20" norm="13"/></NormContinuous>`

  test.each([
    ['asIs', -5, 0],
    ['asIs', 25, 18],
    ['asMissingValues', 25, undefined],
    ['asMissingValues', undefined, -9],
    ['asExtremeValues', 25, 13],
    ['asExtremeValues', -5, 1],
    ['asIs', 0, 1],
    ['asIs', 5, 2],
    ['asIs', 10, 3],
    ['asIs', 15, 8],
    ['asIs', undefined, -9],
  ])('NormContinuous, outliers %s, of %j is %j', (outliers, x, expected) => {
    expect(evaluate(norm(outliers), { x })).toBe(expected)
  })

  test('NormDiscrete is 1 for one value and 0 for others', () => {
    const is = '<NormDiscrete field="c" value="red" mapMissingTo="0.5"/>'
    expect([evaluate(is, { c: 'red' }), evaluate(is, { c: 'Red' }), evaluate(is)]).toEqual([1, 0, 0.5])
  })

  /** @see https://dmg.org/pmml/v4-4/Transformations.html, the example of Discretize */
  const discretize = `<Discretize field="x" mapMissingTo="unknown" defaultValue="none">
    <DiscretizeBin binValue="negative"><Interval closure="openOpen" rightMargin="0"/></DiscretizeBin>
    <DiscretizeBin binValue="small"><Interval closure="closedOpen" leftMargin="0" rightMargin="10"/></DiscretizeBin>
    <DiscretizeBin binValue="ten"><Interval closure="closedClosed" leftMargin="10" rightMargin="10"/></DiscretizeBin>
    <DiscretizeBin binValue="large"><Interval closure="openClosed" leftMargin="11" rightMargin="20"/></DiscretizeBin>
  </Discretize>`

  test.each([
    [-1, 'negative'],
    [0, 'small'],
    [10, 'ten'],
    [11, 'none'],
    [11.5, 'large'],
    [20, 'large'],
    [21, 'none'],
    [undefined, 'unknown'],
  ])('Discretize of %j is %j', (x, expected) => {
    expect(evaluate(discretize, { x })).toBe(expected)
  })

  /** @see https://dmg.org/pmml/v4-4/Transformations.html, the example of a table of band and state */
  const mapValues = `<MapValues outputColumn="out" dataType="integer" mapMissingTo="-1" defaultValue="0">
    <FieldColumnPair field="x" column="data:band"/><FieldColumnPair field="c" column="state"/>
    <InlineTable xmlns:data="http://example.org">
      <row><data:band>1</data:band><state>MN</state><out>10000</out></row>
      <row><data:band>1</data:band><state>IL</state><out>12000</out></row>
      <row><data:band>2</data:band><state>MN</state><out>20000</out></row>
    </InlineTable></MapValues>`

  test.each([
    [1, 'MN', 10000],
    [1, 'IL', 12000],
    [2, 'MN', 20000],
    [2, 'IL', 0],
    [2, undefined, -1],
  ])('MapValues of %j and %j is %j', (x, c, expected) => {
    expect(evaluate(mapValues, { x, c })).toBe(expected)
  })

  test('FieldRef can replace a missing value', () => {
    expect(evaluate('<FieldRef field="x" mapMissingTo="7"/>')).toBe(7)
  })

  /** @see https://dmg.org/pmml/v4-4/Functions.html, the example of AMPM */
  test('a function of the file is evaluated as its body with the arguments', () => {
    const transformations = `
      <DefineFunction name="AMPM" dataType="string" optype="categorical">
        <ParameterField name="TimeVal" optype="continuous" dataType="integer"/>
        <Discretize field="TimeVal">
          <DiscretizeBin binValue="AM"><Interval closure="closedClosed" leftMargin="0" rightMargin="43199"/></DiscretizeBin>
          <DiscretizeBin binValue="PM"><Interval closure="closedOpen" leftMargin="43200" rightMargin="86400"/></DiscretizeBin>
        </Discretize></DefineFunction>
      <DefineFunction name="twice" optype="continuous"><ParameterField name="x"/>
        <Apply function="+"><FieldRef field="x"/><FieldRef field="x"/></Apply></DefineFunction>
      <DerivedField name="Shift" optype="categorical" dataType="string"><Apply function="AMPM"><FieldRef field="x"/></Apply></DerivedField>`
    const shift = '<FieldRef field="Shift"/>'
    expect(evaluate(shift, { x: 34742 }, { transformations })).toBe('AM')
    expect(evaluate(shift, { x: 50000 }, { transformations })).toBe('PM')
    // the parameter x hides the field x
    const four = '<Apply function="twice"><Apply function="twice"><FieldRef field="y"/></Apply></Apply>'
    expect(evaluate(four, { x: 100, y: 3 }, { transformations })).toBe(12)
  })

  test('codes keep leading zeros', () => {
    const transformations = `<DerivedField name="code" optype="categorical" dataType="string">
      <Apply function="trimBlanks" mapMissingTo="007"><FieldRef field="c"/></Apply></DerivedField>`
    expect(evaluate('<FieldRef field="code"/>', {}, { transformations })).toBe('007')
    expect(evaluate('<FieldRef field="code"/>', { c: ' 010 ' }, { transformations })).toBe('010')
  })

  test('a derived field has its declared type, otherwise there is no score', () => {
    const transformations = `<DerivedField name="whole" optype="continuous" dataType="integer">
      <Apply function="/"><FieldRef field="x"/><Constant>2</Constant></Apply></DerivedField>`
    expect(evaluate('<FieldRef field="whole"/>', { x: 4 }, { transformations })).toBe(2)
    expect(evaluate('<FieldRef field="whole"/>', { x: 5 }, { transformations })).toBe(
      'whole would be 2.5, which is not of type integer',
    )
  })
})

describe('functions of SAS Enterprise Miner', () => {
  const transformations = `<DefineFunction name="SAS-EM-String-Normalize" optype="categorical" dataType="string">
      <ParameterField name="FMTWIDTH" optype="continuous"/><ParameterField name="AnyCInput" optype="categorical"/>
      <Apply function="trimBlanks"><Apply function="uppercase"><Apply function="substring"><FieldRef field="AnyCInput"/>
        <Constant>1</Constant><Constant>FMTWIDTH</Constant></Apply></Apply></Apply></DefineFunction>
    <DefineFunction name="SAS-FORMAT-BESTw" optype="categorical" dataType="string">
      <ParameterField name="FMTWIDTH" optype="continuous"/><ParameterField name="AnyNInput" optype="continuous"/>
      <Apply function="formatNumber"><FieldRef field="AnyNInput"/><Constant>FMTWIDTH</Constant></Apply></DefineFunction>
    <DefineFunction name="SAS-FORMAT-$CHARw" optype="categorical" dataType="string">
      <ParameterField name="FMTWIDTH" optype="continuous"/><ParameterField name="AnyCInput" optype="continuous"/>
      <Apply function="substring"><FieldRef field="AnyCInput"/><Constant>1</Constant><Constant>FMTWIDTH</Constant></Apply></DefineFunction>`

  test('truncate text to their width and write it in upper case', () => {
    const expression = `<Apply function="SAS-EM-String-Normalize"><Constant>6</Constant>
      <Apply function="SAS-FORMAT-$CHARw"><Constant>12</Constant><FieldRef field="c"/></Apply></Apply>`
    expect(evaluate(expression, { c: 'hsgrad, later more' }, { transformations })).toBe('HSGRAD')
    expect(evaluate(expression, { c: 'Yr9' }, { transformations })).toBe('YR9')
    expect(evaluate(expression, {}, { transformations })).toBeUndefined()
  })

  test('write numbers completely or with as many decimals as fit', () => {
    const best = (width: number, x: number) =>
      evaluate(
        `<Apply function="SAS-FORMAT-BESTw"><Constant>${width}</Constant><FieldRef field="x"/></Apply>`,
        { x },
        { transformations },
      )
    expect([best(12, 1), best(12, -0.5), best(12, 1 / 3), best(4, 2.999)]).toEqual([
      '1',
      '-0.5',
      '0.3333333333',
      '3',
    ])
    expect(best(3, 12345)).toBe('12345 does not fit in 3 characters')
  })

  test('are listed in the notes; the same syntax of other tools is rejected', () => {
    const model = aModelThatPutsOut('<Constant>1</Constant>')
    expect(importPmml(aPmml(model, { transformations })).understood).toContain(
      'SAS writes function parameters as constants; they are read as parameters.',
    )
    const other = transformations.replaceAll('SAS-', 'OUR-')
    expect(() => importPmml(aPmml(model, { transformations: other }))).toThrow(
      'has the name of a parameter: use a FieldRef',
    )
  })
})
