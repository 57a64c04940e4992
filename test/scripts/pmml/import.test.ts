import { describe, expect, test } from 'vitest'
import { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import { PmmlModel } from '../../../db/scorecards/definition/pmml.ts'
import { importPmml } from '../../../scripts/scorecards/import/pmml/import-pmml.ts'
import { PmmlImportError } from '../../../scripts/scorecards/import/pmml/pmml-import-error.ts'
import { compileScorecard } from '../../../worker/scoring/compile-scorecard.ts'
import { aModelThatPutsOut, aPmml, SCHEMA } from '../../support/a-pmml.ts'

/**
 * The scorecard of the standard with two of its three characteristics.
 *
 * @see https://dmg.org/pmml/v4-4/Scorecard.html, "Example Model"
 */
const SAMPLE = `<?xml version="1.0" encoding="UTF-8"?>
<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.dmg.org/PMML-4_4 http://www.dmg.org/pmml/v4-4/pmml-4-4.xsd">
  <Header copyright="www.dmg.org" description="Sample scorecard"><Extension name="user" value="a"/>
    <Application name="Drawing Board" version="7"/><Timestamp>2010-11-10T08:17:10.8</Timestamp></Header>
  <DataDictionary>
    <DataField name="department" dataType="string" optype="categorical"/>
    <DataField name="age" dataType="integer" optype="continuous"><Interval closure="closedClosed" leftMargin="0" rightMargin="120"/></DataField>
    <DataField name="unused" dataType="double" optype="continuous"/>
    <DataField name="overallScore" dataType="double" optype="continuous"/>
  </DataDictionary>
  <Scorecard modelName="SampleScorecard" functionName="regression" useReasonCodes="true" reasonCodeAlgorithm="pointsBelow"
    initialScore="0" baselineMethod="other">
    <MiningSchema>
      <MiningField name="department" usageType="active" invalidValueTreatment="asMissing"/>
      <MiningField name="age" usageType="active" invalidValueTreatment="asMissing"/>
      <MiningField name="unused" usageType="active"/>
      <MiningField name="overallScore" usageType="predicted"/>
    </MiningSchema>
    <Output>
      <OutputField name="Final Score" feature="predictedValue" dataType="double" optype="continuous"/>
      <OutputField name="Reason Code 1" rank="1" feature="reasonCode" dataType="string" optype="categorical"/>
    </Output>
    <Characteristics>
      <Characteristic name="departmentScore" reasonCode="RC1" baselineScore="19">
        <Attribute partialScore="-9"><SimplePredicate field="department" operator="isMissing"/></Attribute>
        <Attribute partialScore="19"><SimplePredicate field="department" operator="equal" value="marketing"/></Attribute>
        <Attribute partialScore="3"><SimplePredicate field="department" operator="equal" value="engineering"/></Attribute>
        <Attribute partialScore="6"><SimplePredicate field="department" operator="equal" value="business"/></Attribute>
        <Attribute partialScore="0"><True/></Attribute>
      </Characteristic>
      <Characteristic name="ageScore" reasonCode="RC2" baselineScore="18">
        <Attribute partialScore="-1"><SimplePredicate field="age" operator="isMissing"/></Attribute>
        <Attribute partialScore="-3"><SimplePredicate field="age" operator="lessOrEqual" value="18"/></Attribute>
        <Attribute partialScore="0"><CompoundPredicate booleanOperator="and"><SimplePredicate field="age" operator="greaterThan" value="18"/>
          <SimplePredicate field="age" operator="lessOrEqual" value="29"/></CompoundPredicate></Attribute>
        <Attribute partialScore="12"><CompoundPredicate booleanOperator="and"><SimplePredicate field="age" operator="greaterThan" value="29"/>
          <SimplePredicate field="age" operator="lessOrEqual" value="39"/></CompoundPredicate></Attribute>
        <Attribute partialScore="18"><SimplePredicate field="age" operator="greaterThan" value="39"/></Attribute>
      </Characteristic>
    </Characteristics>
    <ModelVerification recordCount="3" fieldCount="4">
      <VerificationFields>
        <VerificationField field="department" column="data:department"/><VerificationField field="age" column="data:age"/>
        <VerificationField field="Final Score" column="data:score" precision="1E-9"/><VerificationField field="Reason Code 1" column="data:rc"/>
      </VerificationFields>
      <InlineTable xmlns:data="http://example.org/data">
        <row><data:department>engineering</data:department><data:age>25</data:age><data:score>3</data:score><data:rc>RC2</data:rc></row>
        <row><data:department>marketing</data:department><data:age>45</data:age><data:score>37</data:score></row>
        <row><data:age>130</data:age><data:score>-10</data:score><data:rc>RC1</data:rc></row>
      </InlineTable>
    </ModelVerification>
  </Scorecard>
</PMML>`

const lineOf = (text: string) => SAMPLE.slice(0, SAMPLE.indexOf(text)).split('\n').length

describe('a file', () => {
  const imported = importPmml(SAMPLE)

  test('is described in sentences', () => {
    expect(imported).toMatchObject({
      name: 'SampleScorecard',
      tool: 'Drawing Board 7',
      reasonCodes: ['RC1', 'RC2'],
    })
    expect(imported.understood).toEqual([
      'PMML 4.4 by Drawing Board 7: Scorecard, regression, 2 characteristics, initial score 0.',
      'department is a category; it may be missing, invalid values are missing.',
      'age is a number among [0, 120]; it may be missing, invalid values are missing.',
      'unused is in the MiningSchema, but unused: it is not an input.',
      '1 Extension elements are ignored, as the standard allows.',
      'ModelVerification: 3 of 3 rows match.',
    ])
  })

  test('gives inputs for a scorecard and the model in its stored form', () => {
    expect(imported.inputs).toEqual([
      { name: 'department', type: 'category', invalid: 'asIs' },
      { name: 'age', type: 'number', invalid: 'asIs' },
    ])
    expect(PmmlModel.parse(JSON.parse(JSON.stringify(imported.model)))).toEqual(imported.model)
  })

  test('gives a scorecard with scores and texts of reasons', () => {
    const card = BuiltScorecard.parse({
      format: 'scorecard/1',
      name: 'Sample',
      source: { tool: imported.tool },
      bad: 'never paid',
      platforms: ['web'],
      inputs: imported.inputs,
      model: imported.model,
      reasons: { texts: { RC1: { en: 'Department' }, RC2: { en: 'Age' } } },
    })
    expect(compileScorecard(card).scoreRow({ department: 'engineering', age: 25 }, 'web')).toMatchObject({
      value: 3,
      reasons: ['RC2', 'RC1'],
      contributions: [{ bin: 'engineering' }, { bin: '(18, 29]' }],
    })
    const noText = BuiltScorecard.safeParse({ ...card, reasons: { texts: { RC1: { en: 'Department' } } } })
    expect(noText.error?.issues[0]?.message).toBe('the reason "RC2" has no text in en')
    const unread = BuiltScorecard.safeParse({ ...card, inputs: imported.inputs.slice(1) })
    expect(unread.error?.issues[0]?.message).toBe('there is no input "department"')
  })

  test('with rows that do not match reports the rows and their differences', () => {
    const wrong = SAMPLE.replace('>37<', '>38<').replace('>RC1<', '>RC7<')
    expect(importPmml(wrong).verification).toMatchObject({
      matched: 1,
      mismatches: [
        `line ${lineOf('<row><data:department>marketing')}: Final Score should be 38, but is 37`,
        `line ${lineOf('<row><data:age>130')}: Reason Code 1 should be RC7, but is RC1`,
      ],
    })
  })

  test('compares the cells of a row; a row without cells is not compared', () => {
    const fewer = SAMPLE.replace('<data:score>37</data:score>', '').replace('<data:rc>RC2</data:rc>', '')
    expect(importPmml(fewer).verification).toMatchObject({ matched: 2, uncompared: 1, mismatches: [] })
    expect(importPmml(fewer).understood).toContain('ModelVerification: 1 rows have no result to compare.')
    const empty = SAMPLE.replace('<data:rc>RC2</data:rc>', '<data:rc/>')
    expect(importPmml(empty).verification).toMatchObject({
      mismatches: [expect.stringContaining('Reason Code 1 should be missing, but is RC2')],
    })
  })

  test.each(['3.0', '3.1', '3.2', '4.0', '4.1', '4.3'])('of version %s is the same file', (version) => {
    const older = SAMPLE.replaceAll('4.4"', `${version}"`).replaceAll(
      'PMML-4_4"',
      `PMML-${version.replace('.', '_')}"`,
    )
    expect(importPmml(older).model).toEqual({ ...imported.model, version })
  })

  test('with a prefix is the same file', () => {
    const prefixed = SAMPLE.replace('xmlns="', 'xmlns:p="').replace(/<(\/?)(?=[A-Z]|row)/g, '<$1p:')
    expect(importPmml(prefixed).model).toEqual(imported.model)
  })
})

const messageOf = (xml: string): string => {
  try {
    importPmml(xml)
  } catch (error) {
    if (error instanceof PmmlImportError) return error.message
    throw error
  }
  throw new Error('it was accepted')
}

test('in a file with one long line, errors include the column', () => {
  const oneLine = aPmml(aModelThatPutsOut('<Aggregate field="x" function="sum"/>')).replace(/>\s+</g, '><')
  const column = oneLine.indexOf('<Aggregate') + 1
  expect(messageOf(oneLine)).toBe(`line 1, column ${column}, <Aggregate>: this expression is not supported`)
  expect(messageOf('<PMML version="4.4"><Header></PMML>')).toMatch(
    /^line 1: this is not XML: .* \(column \d+\)$/,
  )
})

describe('an unsupported file is rejected with the element and its line', () => {
  const regression = (attributes = '', inner = '<RegressionTable intercept="0"/>') =>
    aPmml(`<RegressionModel functionName="regression" ${attributes}>${SCHEMA}${inner}</RegressionModel>`)
  const tree = (attributes: string, node: string) =>
    aPmml(`<TreeModel functionName="regression" ${attributes}>${SCHEMA}${node}</TreeModel>`)
  const mining = (attributes: string, segment: string) =>
    aPmml(
      `<MiningModel functionName="regression">${SCHEMA}<Segmentation ${attributes}>${segment}</Segmentation></MiningModel>`,
    )
  const derived = (expression: string) =>
    aPmml(aModelThatPutsOut('<FieldRef field="x"/>'), {
      transformations: `<DerivedField name="a" optype="continuous" dataType="double">${expression}</DerivedField>`,
    })
  const data = (field: string) =>
    aPmml(aModelThatPutsOut('<FieldRef field="x"/>'), { dictionary: `${field}` })

  test.each([
    ['another language', '<html/>', 'line 1, <html>: this is not PMML'],
    [
      'another namespace',
      '<PMML version="4.4" xmlns="http://example.org"/>',
      'the namespace "http://example.org" is not that of PMML',
    ],
    ['PMML 2', SAMPLE.replace('4.4', '2.1'), 'version 2.1 is not supported; supported are 3.0 to 4.4'],
    ['no model', aPmml(''), '<PMML>: the model is missing'],
    [
      'two models',
      aPmml(aModelThatPutsOut('<Constant>1</Constant>').repeat(2)),
      'a file with several models is not supported',
    ],
    [
      'NeuralNetwork',
      aPmml('<NeuralNetwork/>'),
      'line 11, <NeuralNetwork>: this kind of model is not supported',
    ],
    [
      'ClusteringModel',
      aPmml('<ClusteringModel/>'),
      '<ClusteringModel>: this kind of model is not supported',
    ],
    [
      'SupportVectorMachineModel',
      aPmml('<SupportVectorMachineModel/>'),
      '<SupportVectorMachineModel>: this kind',
    ],
    ['a model not for scoring', regression('isScorable="false"'), 'the model is not for scoring'],
    [
      'another function',
      regression().replace('"regression"', '"clustering"'),
      'functionName="clustering" is not supported',
    ],
    [
      'an unknown attribute',
      regression('x-secret="1"'),
      '<RegressionModel>: the attribute x-secret="1" is not supported',
    ],
    [
      'another precision',
      regression('x-mathContext="half"'),
      'x-mathContext="half" is not supported; supported are double, float',
    ],
    [
      'an unknown child',
      regression('', '<RegressionTable intercept="0"/><Taxonomy/>'),
      '<Taxonomy>: it is not supported in <RegressionModel>',
    ],
    ['not a number', regression('', '<RegressionTable intercept="one"/>'), 'intercept="one" is not a number'],
    ['infinity', regression('', '<RegressionTable intercept="1e999"/>'), 'intercept="1e999" is not a number'],
    [
      'a missing attribute',
      regression('', '<RegressionTable/>'),
      '<RegressionTable>: the attribute intercept is missing',
    ],
    ['no table', regression('', ''), 'the model is not valid: model.tables'],
    [
      'Aggregate',
      derived('<Aggregate field="x" function="sum"/>'),
      '<Aggregate>: this expression is not supported',
    ],
    ['TextIndex', derived('<TextIndex textField="c"/>'), '<TextIndex>: this expression is not supported'],
    ['Lag', derived('<Lag field="x"/>'), '<Lag>: this expression is not supported'],
    [
      'an unknown function',
      derived('<Apply function="launch"><Constant>1</Constant></Apply>'),
      '<Apply>: the function "launch" is not supported',
    ],
    [
      'a parameter written as a constant',
      aPmml(aModelThatPutsOut('<FieldRef field="x"/>'), {
        transformations:
          '<DefineFunction name="cut" optype="categorical"><ParameterField name="WIDTH"/><Constant>WIDTH</Constant></DefineFunction>',
      }),
      '<Constant>: the constant "WIDTH" has the name of a parameter',
    ],
    [
      'an external table',
      derived(
        '<MapValues outputColumn="o"><FieldColumnPair field="c" column="c"/><TableLocator/></MapValues>',
      ),
      '<MapValues>: <InlineTable> is missing',
    ],
    [
      'dates as numbers',
      data('<DataField name="x" optype="continuous" dataType="dateDaysSince[1960]"/>'),
      'dataType="dateDaysSince[1960]" is not supported',
    ],
    [
      'a cyclic field',
      data('<DataField name="x" optype="continuous" dataType="double" isCyclic="1"/>'),
      'a cyclic field is not supported',
    ],
    [
      'an embedded model',
      tree('', '<Node score="1"><True/><Regression/></Node>'),
      '<Regression>: it is not supported in <Node>',
    ],
    [
      'an unknown strategy',
      tree('missingValueStrategy="guess"', '<Node score="1"><True/></Node>'),
      'missingValueStrategy="guess" is not supported',
    ],
    [
      'an unknown default child',
      tree(
        'missingValueStrategy="defaultChild"',
        '<Node id="1" defaultChild="9"><True/><Node id="2"><True/></Node></Node>',
      ),
      'needs a defaultChild that is the id of a child',
    ],
    [
      'a score that is not a number',
      tree('', '<Node score="high"><True/></Node>'),
      '<Node>: the score "high" of a node is not a number',
    ],
    [
      'selectAll',
      mining('multipleModelMethod="selectAll"', ''),
      'multipleModelMethod="selectAll" is not supported',
    ],
    [
      'weightedMedian',
      mining('multipleModelMethod="weightedMedian"', ''),
      'multipleModelMethod="weightedMedian" is not supported',
    ],
    [
      'multiModelChain',
      mining('multipleModelMethod="multiModelChain"', ''),
      'multipleModelMethod="multiModelChain" is not supported',
    ],
    [
      'majorityVote of numbers',
      mining(
        'multipleModelMethod="majorityVote"',
        `<Segment><True/><RegressionModel functionName="regression">${SCHEMA}<RegressionTable intercept="1"/></RegressionModel></Segment>`,
      ),
      '<Segmentation>: the method majorityVote does not support regression',
    ],
    [
      'a weight that varies',
      mining(
        'multipleModelMethod="sum"',
        `<Segment><True/><VariableWeight field="x"/><RegressionModel functionName="regression">${SCHEMA}<RegressionTable intercept="1"/></RegressionModel></Segment>`,
      ),
      '<VariableWeight>: it is not supported in <Segment>',
    ],
    [
      'another model in a segment',
      mining('multipleModelMethod="sum"', '<Segment><True/><SupportVectorMachineModel/></Segment>'),
      '<SupportVectorMachineModel>: this kind of model is not supported',
    ],
    [
      'an output of a segment',
      aPmml(aModelThatPutsOut('<FieldRef field="x"/>').replace('feature=', 'segmentId="1" feature=')),
      'the attribute segmentId="1" is not supported',
    ],
    [
      'an unknown field',
      aPmml(aModelThatPutsOut('<FieldRef field="salary"/>')),
      '<FieldRef>: unknown field "salary"',
    ],
    ['the target as an input', aPmml(aModelThatPutsOut('<FieldRef field="t"/>')), 'unknown field "t"'],
    [
      'an order of categories',
      tree('', '<Node score="1"><SimplePredicate field="c" operator="lessThan" value="b"/></Node>'),
      '<SimplePredicate>: c is a string, for which lessThan is not defined',
    ],
    [
      'a constant of another type',
      tree('', '<Node score="1"><SimplePredicate field="x" operator="lessThan" value="b"/></Node>'),
      '<SimplePredicate>: "b" is not of type double',
    ],
    [
      'an array of another length',
      tree(
        '',
        '<Node score="1"><SimpleSetPredicate field="c" booleanOperator="isIn"><Array n="3" type="string">a b</Array></SimpleSetPredicate></Node>',
      ),
      'n is 3, but there are 2 values',
    ],
    [
      'a computed pattern',
      derived('<Apply function="matches"><FieldRef field="c"/><FieldRef field="c"/></Apply>')
        .replace('name="x"/></', 'name="a"/></')
        .replace('"><FieldRef field="x"', '"><FieldRef field="a"'),
      'the pattern of the function matches must be a constant',
    ],
    [
      'an extreme value without bounds',
      regression().replace('<MiningField name="x"/>', '<MiningField name="x" outliers="asExtremeValues"/>'),
      'outliers="asExtremeValues" needs a lowValue or a highValue',
    ],
    [
      'a missing replacement',
      regression().replace(
        '<MiningField name="x"/>',
        '<MiningField name="x" missingValueTreatment="asMean"/>',
      ),
      'missingValueTreatment="asMean" needs a missingValueReplacement',
    ],
    [
      'two real tables of logit',
      regression(
        'normalizationMethod="logit"',
        '<RegressionTable intercept="1" targetCategory="a"/><RegressionTable intercept="2" targetCategory="b"/>',
      ).replace('"regression"', '"classification"'),
      '<RegressionModel>: with logit, one of the two RegressionTables must be empty',
    ],
    [
      'a prior probability below 0',
      regression(
        '',
        '<Targets><Target field="t"><TargetValue value="a" priorProbability="-1"/></Target></Targets>',
      ),
      '<TargetValue>: priorProbability="-1" is below 0',
    ],
    ...['asIs', 'asMissing', 'returnInvalid'].map((treatment) => [
      `a replacement of invalid values with ${treatment}`,
      regression().replace(
        'name="x"/><M',
        `name="x" invalidValueTreatment="${treatment}" invalidValueReplacement="1"/><M`,
      ),
      'line 12, <MiningField>: invalidValueReplacement is only for invalidValueTreatment="asValue"',
    ]),
    [
      'reasons without baseline',
      aPmml(
        `<Scorecard functionName="regression">${SCHEMA}<Characteristics><Characteristic name="a" reasonCode="A"><Attribute partialScore="1"><True/></Attribute></Characteristic></Characteristics></Scorecard>`,
      ),
      '<Characteristic>: the baselineScore is missing, which reason codes need',
    ],
    [
      'reasons without code',
      aPmml(
        `<Scorecard functionName="regression" baselineScore="1">${SCHEMA}<Characteristics><Characteristic name="a"><Attribute partialScore="1"><True/></Attribute></Characteristic></Characteristics></Scorecard>`,
      ),
      '<Characteristic>: an Attribute has no reasonCode',
    ],
  ])('%s', (_, xml, message) => {
    const text = messageOf(xml)
    expect(text).toContain(message)
    expect(text).toMatch(/^line \d+|^the model is not valid/)
  })
})
