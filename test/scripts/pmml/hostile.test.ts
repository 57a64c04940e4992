import { expect, test } from 'vitest'
import { PmmlModel } from '../../../db/scorecards/definition/pmml.ts'
import { importPmml } from '../../../scripts/scorecards/import/pmml/import-pmml.ts'
import { PmmlImportError } from '../../../scripts/scorecards/import/pmml/pmml-import-error.ts'
import { LIMITS, readXml } from '../../../scripts/scorecards/import/pmml/read-xml.ts'
import { aModelThatPutsOut, aPmml, evaluate, open } from '../../support/a-pmml.ts'

/** Error message for a rejected file; its rejection must not take longer than reading it. */
function messageOf(xml: string): string {
  const startedAt = performance.now()
  try {
    importPmml(xml)
  } catch (error) {
    if (!(error instanceof PmmlImportError)) throw error
    expect(performance.now() - startedAt).toBeLessThan(60_000)
    return error.message
  }
  throw new Error('it was accepted')
}

const out = (transformations: string, name = 'a') =>
  aPmml(aModelThatPutsOut(`<FieldRef field="${name}"/>`), { transformations })

const derived = (name: string, expression: string) =>
  `<DerivedField name="${name}" optype="continuous" dataType="double">${expression}</DerivedField>`

test('a DOCTYPE is rejected before any of its entities is read', () => {
  const laughs = Array.from({ length: 30 }, (_, at) => `<!ENTITY l${at + 1} "&l${at};&l${at};">`).join('')
  expect(messageOf(`<!DOCTYPE PMML [<!ENTITY l0 "ha">${laughs}]><PMML version="4.4">&l30;</PMML>`)).toContain(
    'line 1: a DOCTYPE is not supported',
  )
  expect(
    messageOf(
      '<?xml version="1.0"?>\n<!DOCTYPE PMML SYSTEM "http://127.0.0.1:1/x.dtd">\n<PMML version="4.4"/>',
    ),
  ).toContain('line 2: a DOCTYPE is not supported')
})

test('an entity that XML does not have is rejected', () => {
  expect(messageOf('<PMML version="4.4">\n&xxe;</PMML>')).toMatch(
    /^line 2: this is not XML: undefined entity/,
  )
})

test.each([
  ['nothing', ''],
  ['text', 'hello'],
  ['half an element', '<PMML version="4.4"><Header>'],
  ['two roots', '<PMML version="4.4"/><PMML version="4.4"/>'],
  ['an attribute twice', '<PMML version="4.4" version="4.4"/>'],
  ['a null character', '<PMML version="4.4">\u0000</PMML>'],
])('%s is not XML', (_, xml) => {
  expect(messageOf(xml)).toMatch(/this is not XML|the file is empty/)
})

test('depth, attributes and their length are limited', () => {
  const deep = '<a>'.repeat(1_000_000)
  expect(messageOf(deep)).toContain(`nested more than ${LIMITS.depth} deep`)
  expect(messageOf(`<PMML version="${'4'.repeat(10_000_000)}"/>`)).toContain('longer than')
  const many = Array.from({ length: 1_000 }, (_, at) => `a${at}=""`).join(' ')
  expect(messageOf(`<PMML ${many}/>`)).toContain('more than 100 attributes')
})

test('elements and characters are limited', () => {
  const wide = `<PMML>${'<a/>'.repeat(10_000)}</PMML>`
  expect(readXml(wide).children).toHaveLength(10_000)
  expect(() => readXml(wide, { ...LIMITS, elements: 10_000 })).toThrow('more than 10000 elements')
  expect(messageOf(' '.repeat(LIMITS.characters + 1))).toContain('longer than 100 million characters')
})

test('nested expressions, predicates and models are also limited by the schema, which reads stored models', () => {
  const { model } = importPmml(out(derived('a', '<FieldRef field="x"/>')))
  const nest = (inner: unknown, times: number, wrap: (inner: unknown) => unknown) => {
    let nested = inner
    for (let depth = 0; depth < times; depth++) nested = wrap(nested)
    return nested
  }
  const expression = nest({ element: 'FieldRef', field: 'x' }, 50_000, (inner) => ({
    element: 'Apply',
    function: 'abs',
    arguments: [inner],
    invalid: 'asIs',
  }))
  const result = PmmlModel.safeParse({ ...model, derived: [{ ...model.derived[0], expression }] })
  expect(result.success).toBe(false)
  expect(JSON.stringify(result.error?.issues)).toContain('nested more than 100 deep')
})

test('fields derived from one another in a cycle are rejected', () => {
  expect(messageOf(out(derived('a', '<FieldRef field="a"/>')))).toContain('a is derived from itself')
  const circle = [
    derived('a', '<FieldRef field="b"/>'),
    derived('b', '<FieldRef field="c2"/>'),
    derived('c2', '<FieldRef field="a"/>'),
  ]
  expect(messageOf(out(circle.join('')))).toContain('a is derived from itself')
})

test('functions that call themselves are rejected', () => {
  const define = (name: string, calls: string) =>
    `<DefineFunction name="${name}" optype="continuous"><ParameterField name="p"/><Apply function="${calls}"><FieldRef field="p"/></Apply></DefineFunction>`
  const use = derived('a', '<Apply function="f"><FieldRef field="x"/></Apply>')
  expect(messageOf(out(define('f', 'f') + use))).toContain('the function f calls itself')
  expect(messageOf(out(define('f', 'g') + define('g', 'f') + use))).toContain('the function f calls itself')
})

test('functions that grow exponentially are rejected, also with indirect growth', () => {
  const twice = (name: string, calls: string) =>
    `<DefineFunction name="${name}" optype="continuous"><ParameterField name="p"/><Apply function="+">
      <Apply function="${calls}"><FieldRef field="p"/></Apply><Apply function="${calls}"><FieldRef field="p"/></Apply></Apply></DefineFunction>`
  const functions = Array.from({ length: 40 }, (_, at) =>
    twice(`f${at + 1}`, at === 0 ? 'abs' : `f${at}`),
  ).join('')
  const use = (argument: string) => derived('a', `<Apply function="f40">${argument}</Apply>`)
  expect(messageOf(out(functions + use('<FieldRef field="x"/>')))).toContain('more than 500000 expressions')
  // nested in the argument, which is used twice
  const double =
    '<DefineFunction name="double" optype="continuous"><ParameterField name="p"/><Apply function="+"><FieldRef field="p"/><FieldRef field="p"/></Apply></DefineFunction>'
  const nested = `${'<Apply function="double">'.repeat(60)}<FieldRef field="x"/>${'</Apply>'.repeat(60)}`
  expect(messageOf(out(double + derived('a', nested)))).toContain('more than 500000 expressions')
})

test('derived fields that each read the one before are computed once each and limited in depth', () => {
  const chain = (length: number) =>
    Array.from({ length }, (_, at) =>
      derived(
        `a${at + 1}`,
        `<Apply function="+"><FieldRef field="${at === 0 ? 'x' : `a${at}`}"/><FieldRef field="${at === 0 ? 'x' : `a${at}`}"/></Apply>`,
      ),
    ).join('')
  const { outputs } = open(out(chain(60), 'a60')).evaluateOutputs({ x: 1 })
  expect(outputs.out).toBe(2 ** 60)
  expect(messageOf(out(chain(1_000), 'a1000'))).toContain('more than 300 levels deep')
})

/** A condition on a text. */
const matching = (pattern: string) =>
  aPmml(
    aModelThatPutsOut(
      `<Apply function="matches"><FieldRef field="c"/><Constant dataType="string">${pattern.replaceAll('<', '&lt;')}</Constant></Apply>`,
    ),
  )

test.each([
  ['(a)\\1', 'is not supported'],
  ['(?=a)', 'is not supported'],
  ['(?<!a)b', 'is not supported'],
  ['a'.repeat(201), 'has more than 200 characters'],
  ['(', 'is not supported'],
])('the regular expression %s is rejected', (pattern, why) => {
  expect(messageOf(matching(pattern))).toContain(why)
})

test.each(['(a+)+$', '(a|a)*b', 'a*a*a*b', 'a?a?a?aaa', '(a|a)(a|a)b', '(?<n>a)+b', '(.*a){12}b'])(
  'the regular expression %s is matched in linear time, whatever it repeats',
  (pattern) => {
    const { evaluateOutputs } = open(matching(pattern))
    const startedAt = performance.now()
    evaluateOutputs({ c: `${'a'.repeat(299)}c` })
    expect(performance.now() - startedAt).toBeLessThan(1_000) // a backtracking engine takes years
  },
)

test.each([
  ['concat', '<Apply function="concat"><FieldRef field="t"/><FieldRef field="t"/></Apply>'],
  [
    'uppercase',
    '<Apply function="uppercase"><Apply function="concat"><FieldRef field="t"/><FieldRef field="t"/></Apply></Apply>',
  ],
  [
    'replace',
    '<Apply function="replace"><Apply function="substring"><FieldRef field="t"/><Constant>1</Constant><Constant>200</Constant></Apply><Constant dataType="string">a</Constant><FieldRef field="t"/></Apply>',
  ],
])('%s gives no text of more than 10,000 characters', (_, doubled) => {
  const text = (name: string, expression: string) =>
    `<DerivedField name="${name}" optype="categorical" dataType="string">${expression}</DerivedField>`
  const steps = Array.from({ length: 18 }, (_step, at) =>
    text(`t${at + 1}`, doubled.replaceAll('"t"', at === 0 ? '"c"' : `"t${at}"`)),
  )
  const output = '<Apply function="stringLength"><FieldRef field="t18"/></Apply>'
  const { evaluateOutputs } = open(aPmml(aModelThatPutsOut(output), { transformations: steps.join('') }))
  expect(evaluateOutputs({ c: 'a'.repeat(2_000) }).outcome).toMatchObject({
    noScore: expect.stringMatching(/gives a text of more than 10000 characters$/),
  })
})

test('a text that would take long to match gets no score', () => {
  const matches =
    '<Apply function="matches"><FieldRef field="c"/><Constant dataType="string">a*a*b</Constant></Apply>'
  expect(evaluate(matches, { c: 'a'.repeat(300) })).toBe(false)
  expect(evaluate(matches, { c: 'a'.repeat(100_000) })).toBe(
    'a text is too long to match with a regular expression',
  )
  const replace = matches
    .replace('matches', 'replace')
    .replace('</Constant>', '</Constant><Constant dataType="string">b</Constant>')
  expect(evaluate(replace, { c: 'aab' })).toBe('b')
  expect(evaluate(replace, { c: 'a'.repeat(301) })).toMatch('too long')
})

test('fields with the names of Object.prototype members are ordinary fields', () => {
  const dictionary = ['constructor', '__proto__', 'toString', 't']
    .map((name) => `<DataField name="${name}" optype="continuous" dataType="double"/>`)
    .join('')
  const fields = ['constructor', '__proto__', 'toString']
    .map((name) => `<MiningField name="${name}"/>`)
    .join('')
  const sum = `<Apply function="sum"><FieldRef field="constructor"/><FieldRef field="__proto__"/><FieldRef field="toString"/></Apply>`
  const schema = `<MiningSchema>${fields}<MiningField name="t" usageType="target"/></MiningSchema>`
  const model = open(aPmml(aModelThatPutsOut(sum, undefined, schema), { dictionary }))
  expect(model.evaluateOutputs({}).outputs.out).toBeUndefined()
  expect(model.evaluateOutputs(JSON.parse('{"constructor":1,"__proto__":2,"toString":4}')).outputs.out).toBe(
    7,
  )
  expect({}).not.toHaveProperty('polluted')
})

test('functions with the names of Object.prototype members are unknown', () => {
  for (const name of ['constructor', '__proto__', 'toString'])
    expect(
      messageOf(aPmml(aModelThatPutsOut(`<Apply function="${name}"><Constant>1</Constant></Apply>`))),
    ).toContain('is not supported')
})
