import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { verifyFolder } from '../../scripts/scorecards/verify/verify-folder.ts'
import { compileScorecard } from '../../worker/scoring/compile-scorecard.ts'
import { readToEnd } from '../support/read-to-end.ts'
import { runAdminHere } from '../support/run-admin.ts'
import { PROJECT } from '../support/start-process.ts'
import { XGBOOST } from '../support/xgboost-model.ts'

vi.setConfig({ testTimeout: 60_000 }) // each test starts Node

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkling-verify-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Starts a script of the project in the folder, without a store. */
async function run(script: string, ...args: string[]) {
  const child = spawn(join(PROJECT, 'scripts', script), args, {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  })
  return readToEnd(child)
}

const at = (name: string) => join(folder, name)

const importCard = (...args: string[]) => runAdminHere(['scorecard', 'import', at('card.csv'), ...args])

async function save(files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), content)
  }
}

/** An XGBoost dump of one tree with one split at x < 1. */
const aDump = (left: number, right: number): string =>
  JSON.stringify([
    {
      ...{ nodeid: 0, split: 'x', split_condition: 1, yes: 1, no: 2, missing: 1 },
      children: [
        { nodeid: 1, leaf: left },
        { nodeid: 2, leaf: right },
      ],
    },
  ])

const CARD = 'variable,bin,points\nbasepoints,,500\nbrand,apple,30\nbrand,else,-5\nbrand,missing,0\n'
const MAP = 'input,feature,reason,text\nbrand,device_brand,R1,The device counts against you\n'
const ROWS = 'brand,score,reason_code_1\napple,530,\nnokia,495,R1\n,500,R1\n'
const OPTIONS = ['--bad', '90 days past due', '--no-probability']

describe('scripts/admin scorecard import', () => {
  test('reports the model and the results of its rows, and writes a deployable definition, by paths from the working directory', async () => {
    await save({ 'card.csv': CARD, 'map.csv': MAP, 'rows.csv': ROWS })
    const { code, stdout, stderr } = await run(
      'admin',
      'scorecard',
      'import',
      'card.csv',
      ...OPTIONS,
      '--map',
      'map.csv',
      '--rows',
      'rows.csv',
      '--output',
      'out.json',
    )
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/understood .*1 characteristics, 3 bins.*verified +3 of 3 rows match/s),
    })
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'scorecardpy',
      inputs: [{ name: 'brand', feature: 'device_brand', type: 'category' }],
      unmapped: [],
      verification: { rows: 3, matched: 3 },
      deployable: true,
      output: 'out.json',
    })
    const card = Scorecard.parse(JSON.parse(await readFile(join(folder, 'out.json'), 'utf8')))
    expect(card.verification).toHaveLength(3)
    expect(compileScorecard(card).score({ device_brand: 'apple' }, 'web')).toMatchObject({ value: 530 })
  })

  test('a row with a different result is reported with its inputs, exits with 1, and writes nothing', async () => {
    await save({ 'card.csv': CARD, 'map.csv': MAP, 'wrong.csv': ROWS.replace('495', '496') })
    const { code, stdout, stderr } = await importCard(
      ...[...OPTIONS, '--map', at('map.csv'), '--rows', at('wrong.csv'), '--output', at('wrong.json')],
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /2 of 3 rows match\n +mismatch +wrong.csv, line 3, score: expected 496, got 495\n +inputs {"brand":"nokia"}/,
    )
    expect(existsSync(join(folder, 'wrong.json'))).toBe(false)
  })

  test('without a map, the import suggests features and reports that the definition is not deployable', async () => {
    await save({ 'card.csv': CARD })
    const { stdout, stderr } = await importCard(...OPTIONS)
    expect(JSON.parse(stdout)).toMatchObject({
      deployable: false,
      unmapped: [{ input: 'brand', nearest: expect.arrayContaining(['device_brand']) }],
    })
    expect(stderr).toMatch(/to deploy +map brand to a feature: .*device_brand/)
    expect(stderr).toMatch(/verified +nothing: the file has no rows/)
  })

  test('odds can be a fraction; other text is rejected', async () => {
    await save({ 'card.csv': CARD })
    const scaled = ['--pdo', '50', '--base-score', '600', '--odds', 'bad:good']
    const args = ['--bad', 'bad', ...scaled]
    const [good, bad] = await Promise.all([
      importCard(...args, '--base-odds', '1/19', '--output', at('scaled.json')),
      importCard(...args, '--base-odds', 'one'),
    ])
    expect(good.code).toBe(0)
    expect(JSON.parse(await readFile(join(folder, 'scaled.json'), 'utf8')).scaling).toMatchObject({
      baseOdds: 1 / 19,
      odds: 'bad:good',
    })
    expect(bad).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Give a number') })
  })
})

describe('npm run verify:scorecards', () => {
  const PMML = `<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/><DataDictionary>
    <DataField name="x" optype="continuous" dataType="double"/><DataField name="y" optype="continuous" dataType="double"/>
    </DataDictionary><RegressionModel functionName="regression"><MiningSchema><MiningField name="x"/>
    <MiningField name="y" usageType="target"/></MiningSchema>
    <RegressionTable intercept="1"><NumericPredictor name="x" coefficient="2"/></RegressionTable></RegressionModel></PMML>`

  /** Adds 1 to an inner model's output. */
  const CHAIN = PMML.replace(
    /<RegressionModel.*<\/RegressionModel>/s,
    (inner) => `<MiningModel functionName="regression"><MiningSchema><MiningField name="x"/>
      <MiningField name="y" usageType="target"/></MiningSchema><Segmentation multipleModelMethod="modelChain">
      <Segment><True/>${inner.replace('</MiningSchema>', '</MiningSchema><Output><OutputField name="inner" optype="continuous" dataType="double" feature="predictedValue"/></Output>')}</Segment>
      <Segment><True/><RegressionModel functionName="regression"><MiningSchema><MiningField name="inner"/></MiningSchema>
      <RegressionTable intercept="1"><NumericPredictor name="inner" coefficient="1"/></RegressionTable></RegressionModel></Segment>
      </Segmentation></MiningModel>`,
  )

  /** Odds of 1 for apple; for nokia so little less that only the sixth decimal of the probability differs. */
  const SCALED = '{"pdo":1000000,"baseScore":530,"baseOdds":1,"odds":"good:bad"}'

  const REASONED = {
    'a.card.csv': `${CARD}apps,"[-inf,5)",-40\napps,"[5,inf)",3\n`,
    'map.csv': 'input,feature,reason\nbrand,device_brand,R1\napps,apps_count,R2\n',
    'verify.json': '{"map":"map.csv"}',
  }

  test('finds models in subfolders, with rows next to them, and compares scores, reasons and outputs', async () => {
    await save({
      'good/a.card.csv': CARD,
      'good/a.csv': 'brand\napple\nnokia\n',
      'good/a.expected.csv': 'score,brand_points\n530,30\n495,-5.0\n',
      'good/below/line.pmml': PMML,
      'good/below/input.csv': 'x\n1\n-2.5\n',
      'good/below/expected.csv': 'y\n3\n-4\n',
      'good/many/one.pmml': PMML,
      'good/many/expected.csv':
        'model,input,expected,note\none,x=2,y=5,\none,"4 (in order)",9,\none,(none),y=(null),\n',
    })
    const { code, stdout } = await run('verify-scorecards', 'good')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `✓ a.card.csv: 2 of 2 rows match\n✓ below/line.pmml: 2 of 2 rows match\n✓ many/one.pmml: 3 of 3 rows match\n7 of 7 rows of 3 models match\n`,
    })
  })

  test.each<[what: string, files: Record<string, string>, says: RegExp]>([
    [
      'a probability',
      {
        'a.card.csv': CARD,
        'a.csv': 'brand,probability\napple,0.5\nnokia,0.5000065\nnokia,0.500004\n',
        'verify.json': SCALED,
      },
      /2 of 3 rows.*line 4, probability\n.*\n +expected +0.500004\n +got +0.50000606/s,
    ],
    [
      'the order of reasons',
      { ...REASONED, 'a.csv': 'brand,apps,reason_code_1,reason_code_2\nnokia,1,R2,R1\nnokia,1,R1,R2\n' },
      /1 of 2 rows.*line 3, reasons\n.*\n +expected +R1, R2\n +got +R2, R1$/s,
    ],
    [
      'a missing reason',
      { ...REASONED, 'a.csv': 'brand,apps,reason_codes\nnokia,1,R2|R1\nnokia,1,R2\n' },
      /1 of 2 rows.*line 3, reasons\n.*\n +expected +R2\n +got +R2, R1$/s,
    ],
    [
      'a score',
      { 'a.card.csv': CARD, 'a.csv': 'brand,score\napple,530\nnokia,494\n' },
      /✗ a.card.csv: 1 of 2.*a.csv, line 3, score\n +inputs +{"brand":"nokia"}\n +expected +494\n +got +495/s,
    ],
    [
      'points',
      { 'a.card.csv': CARD, 'a.csv': 'brand,brand_points\napple,29\n' },
      /0 of 1.*points of brand\n.*\n +expected +29\n +got +30/s,
    ],
    [
      'a score where none is expected',
      { 'a.card.csv': CARD, 'a.csv': 'brand,score\napple,\n' },
      /expected +null\n +got +530/,
    ],
    [
      'an output',
      { 'a.pmml': PMML, 'a.csv': 'x,y\n1,3.0001\n' },
      /line 2, y\n.*\n +expected +3.0001\n +got +3/s,
    ],
    ['a missing value', { 'a.pmml': PMML, 'a.csv': 'x,y\n,3\n' }, /0 of 1/],
    ['an unsupported file', { 'a.pmml': '<PMML/>' }, /✗ a.pmml: a.pmml: line 1/],
    [
      'fewer results than rows',
      { 'a.pmml': PMML, 'a.csv': 'x\n1\n2\n', 'a.expected.csv': 'y\n3\n' },
      /a.csv has 2 rows, but a.expected.csv has 1/,
    ],
    [
      'no column of results',
      { 'a.pmml': PMML, 'a.csv': 'x,result\n1,3\n' },
      /a.csv has no column of results/,
    ],
    [
      'every number replaced in the output of an inner model',
      { 'a.pmml': CHAIN, 'a.csv': 'x,y,inner\n1,4,3\n2,6,0.123456\n' },
      /1 of 2.*line 3, inner\n.*\n +expected +0.123456\n +got +5/s,
    ],
    [
      'a name that is not a result of the model',
      { 'a.pmml': PMML, 'expected.csv': 'model,input,expected\na,x=1,y=3;z=3\na,x=1,y=3;z=\n' },
      /0 of 2.*z\n.*\n +expected +3\n +got +the model has no result with this name/s,
    ],
    [
      'a misspelt category, named in the mismatch',
      { 'a.card.csv': CARD.replace('brand,else,-5\n', ''), 'a.csv': 'brand,score\nAppel,530\n' },
      /note +brand is "Appel", which the model does not know: it has apple/,
    ],
    [
      'text in a column of numbers, named in the mismatch',
      { 'a.pmml': PMML, 'a.csv': 'x,y\none,3\n' },
      /note +x is "one", which is not a number/,
    ],
    [
      'no column of inputs',
      { 'a.pmml': PMML, 'a.csv': 'z,y\n1,3\n' },
      /a.csv has no column with the name of a model input: x/,
    ],
    ['nothing to verify', { 'a.pmml': PMML }, /- a.pmml: understood, no results/],
    ['unknown options', { 'a.pmml': PMML, 'verify.json': '{"pdO":1}' }, /verify.json:.*pdO/s],
  ])('fails for %s', async (what, files, says) => {
    const name = `bad-${what.replaceAll(' ', '-')}`
    await save(
      Object.fromEntries(Object.entries(files).map(([file, content]) => [`${name}/${file}`, content])),
    )
    const outcome = await verify(name).catch((error: Error) => ({ isGood: false, lines: [error.message] }))
    expect(outcome.isGood).toBe(false)
    expect(outcome.lines.join('\n')).toMatch(says)
  })

  test('each column is compared or reported with the reason why not', async () => {
    await save({
      'named/a.pmml': PMML,
      'named/a.csv': 'x,id,score\n1,7,3\n',
      'named/a.expected.csv': 'x,id,y,scor\n1,7,3,9\n',
      'named/b.card.csv': `${CARD}apps,"[-inf,inf)",0\napps,missing,0\n`,
      'named/b.csv': 'brand,Score,note\napple,530,\n',
    })
    expect(await verify('named')).toMatchObject({
      isGood: true,
      lines: [
        '✓ a.pmml: 1 of 1 rows match',
        '  column x of a.expected.csv is not compared: it is an input of the model, read from a.csv',
        '  column id of a.expected.csv is not compared: it is also a column of a.csv',
        '  column scor of a.expected.csv is not compared: it is neither an input nor a result of the model; the nearest is score',
        '  column score of a.csv is not compared: results are read from a.expected.csv',
        '✓ b.card.csv: 1 of 1 rows match',
        expect.stringContaining('column note of b.csv is not compared: it is neither an input'),
        '  b.csv has no column apps: this input is missing in all rows',
      ],
    })
  })

  test('missing values, booleans and categories of other tools are understood', async () => {
    await save({
      'words/a.pmml': PMML,
      'words/a.csv': 'x,y\nNA,\nN/A,NA\n.,N/A\nnan,\nTrue,3\nFALSE,1\n',
      'words/b.card.csv':
        'variable,bin,points\nbrand,4,30\nbrand,x,1\nbrand,True,2\nbrand,NA,3\nbrand,missing,5\n',
      'words/b.csv': 'brand,score,reason_code_1\n4.0,30,NA\nx,1,\ntrue,2,\nNA,3,\nN/A,5,\n',
    })
    expect(await verify('words')).toMatchObject({ isGood: true, rows: 11, matched: 11 })
  })

  test('numbers are compared to the precision of the engine or the file, and the output reports it', async () => {
    const nine = [1 / 3, 2 / 7, 12 / 7, 123 / 7]
    await save({
      'near/nine.pmml': PMML,
      'near/nine.csv': `x,y\n${nine.map((x) => `${x},${(1 + 2 * x).toPrecision(9)}`).join('\n')}\n`,
      'near/stump.json': aDump(-0.1, 0.7),
      'near/stump.csv': 'x,score\n0,0.1\n1,0.9\n',
      'near/stump.verify.json': '{"objective":"reg:squarederror","xgboostBaseScore":0.2,"booster":"gbtree"}',
    })
    expect(await verify('near')).toMatchObject({
      isGood: true,
      lines: [
        '✓ nine.pmml: 4 of 4 rows match (y to its 9 digits)',
        '✓ stump.json: 2 of 2 rows match (relative tolerance 0.000001, for 32-bit floats)',
      ],
    })
    await save({
      'near/nine.csv': `x,y\n${nine.map((x) => `${x},${(1.0000001 + 2 * x).toPrecision(9)}`).join('\n')}\n`,
    })
    expect(await verify('near')).toMatchObject({ isGood: false })
  })

  test('a model can be verified without a feature map and without scaling', async () => {
    await save({
      'alone/bad.pmml': '<PMML/>',
      'alone/class.pmml': PMML.replace(
        'functionName="regression"',
        'functionName="classification" normalizationMethod="logit"',
      )
        .replace(
          '<DataField name="y" optype="continuous" dataType="double"/>',
          '<DataField name="y" optype="categorical" dataType="string"><Value value="bad"/><Value value="good"/></DataField>',
        )
        .replace('<RegressionTable intercept="1">', '<RegressionTable intercept="1" targetCategory="bad">')
        .replace(
          '</RegressionModel>',
          '<RegressionTable intercept="0" targetCategory="good"/></RegressionModel>',
        ),
      'alone/class.csv': `x,probability\n0,${1 / (1 + Math.exp(-1))}\n-1,${1 / (1 + Math.E)}\n`,
      'alone/class.verify.json': '{"badCategory":"bad"}',
      'alone/cats.json': XGBOOST,
      'alone/cats.csv': 'age,grade,probability\n2,c,0.66810142993927\n-1.25,a,0.14934276044368744\n',
      'alone/cats.verify.json': '{"map":"cats.map.csv"}',
      'alone/cats.map.csv': 'input,categories\nage,\ngrade,a|b|c|d|e\n',
    })
    for (const [model, rows] of [
      ['class.pmml', 2],
      ['cats.json', 2],
    ] as const)
      expect(await verify(`alone/${model}`)).toMatchObject({ isGood: true, models: 1, rows, matched: rows })
  })

  test('a mismatch and an empty folder exit with 1', async () => {
    await save({ 'wrong/a.pmml': PMML, 'wrong/a.csv': 'x,y\n1,4\n' })
    await mkdir(join(folder, 'empty'), { recursive: true })
    const [wrong, empty] = await Promise.all([
      run('verify-scorecards', 'wrong'),
      run('verify-scorecards', 'empty'),
    ])
    expect(wrong).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/expected +4\n +got +3\n0 of 1 rows of 1 models match\n$/),
    })
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing to verify in empty') })
  })

  test('verify.json supplies odds, objective and base score where files lack them', async () => {
    await save({
      'supplied/dump.json': aDump(-1, 1),
      'supplied/dump.csv': `x,probability,score\n0,${1 / (1 + Math.E)},-1\n1,${1 / (1 + Math.exp(-1))},1\n`,
      'supplied/verify.json': '{"objective":"binary:logistic","xgboostBaseScore":0.5,"booster":"gbtree"}',
    })
    expect(await verify('supplied')).toMatchObject({ isGood: true, rows: 2, matched: 2 })
  })

  test('the example of the documentation matches', async () => {
    expect(await verify(join(PROJECT, 'docs/examples/verify'))).toMatchObject({
      isGood: true,
      models: 2,
      rows: 9,
    })
  })

  const verify = (name: string) =>
    verifyFolder(resolve(folder, name), () => ({ update: () => undefined, finish: () => undefined }))

  const reference = process.env.SCORECARD_REFERENCE ?? join(PROJECT, '../shared/reference/scorecards')
  test.skipIf(!existsSync(reference))(
    'every row of scorecardpy, Apache KIE and pmml4s matches (skipped if SCORECARD_REFERENCE does not exist)',
    async () => {
      const { code, stdout } = await run('verify-scorecards', reference)
      expect(stdout).toContain('scorecardpy-germancredit/card.csv: 1000 of 1000 rows match')
      expect(stdout).toMatch(/\n1044 of 1044 rows of 24 models match\n$/)
      expect(code).toBe(0)
    },
  )
})
