import { importPmml, type PmmlOptions } from '../../scripts/scorecards/import/pmml/import-pmml.ts'
import type { InputValue } from '../../worker/scoring/model.ts'
import { type CompiledPmml, compilePmml } from '../../worker/scoring/pmml/compile-pmml.ts'

/** Returns a file with a model. By default the fields x and y are doubles, c and d strings, and the target t a double. */
export function aPmml(
  model: string,
  { dictionary = DICTIONARY, transformations = '', version = '4.4' } = {},
): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<PMML version="${version}" xmlns="http://www.dmg.org/PMML-${version.slice(0, 3).replace('.', '_')}">`,
    '<Header/>',
    `<DataDictionary>${dictionary}</DataDictionary>`,
    transformations && `<TransformationDictionary>${transformations}</TransformationDictionary>`,
    model,
    '</PMML>',
  ].join('\n')
}

const DICTIONARY = `
  <DataField name="x" optype="continuous" dataType="double"/>
  <DataField name="y" optype="continuous" dataType="double"/>
  <DataField name="c" optype="categorical" dataType="string"/>
  <DataField name="d" optype="categorical" dataType="string"/>
  <DataField name="t" optype="continuous" dataType="double"/>`

export const SCHEMA = `<MiningSchema>
  <MiningField name="x"/><MiningField name="y"/><MiningField name="c"/><MiningField name="d"/>
  <MiningField name="t" usageType="target"/></MiningSchema>`

/** Returns a model that predicts 0 and outputs an expression as `out`, with a data type if one is given. */
export function aModelThatPutsOut(expression: string, dataType?: string, schema = SCHEMA): string {
  const type = dataType ? `dataType="${dataType}"` : ''
  return `<RegressionModel functionName="regression">${schema}
    <Output><OutputField name="out" optype="continuous" ${type} feature="transformedValue">${expression}</OutputField></Output>
    <RegressionTable intercept="0"/></RegressionModel>`
}

/** Imports and compiles the model of a file. */
export const open = (xml: string, options?: PmmlOptions): CompiledPmml =>
  compilePmml(importPmml(xml, options).model)

type Row = Readonly<Record<string, InputValue>>

/** Evaluates an expression for a row. @returns its value, undefined if missing, or the reason for no score. */
export function evaluate(
  expression: string,
  row: Row = {},
  { transformations = '', dataType = '' } = {},
): unknown {
  const { outputs, outcome } = open(
    aPmml(aModelThatPutsOut(expression, dataType), { transformations }),
  ).evaluateOutputs(row)
  return 'noScore' in outcome ? outcome.noScore : outputs.out
}
