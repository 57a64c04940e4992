import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readFeatureMap } from '../../scripts/scorecards/import/feature-map.ts'
import { importScorecard } from '../../scripts/scorecards/import/import-scorecard.ts'
import type { ImportOptions } from '../../scripts/scorecards/import/import-types.ts'
import { compileScorecard } from '../../worker/scoring/compile-scorecard.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkling-import-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const UNSCALED: ImportOptions = { bad: '90 days past due', probability: false }

async function save(name: string, text: string | Buffer): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

const importText = async (name: string, text: string | Buffer, options = UNSCALED) =>
  importScorecard(await save(name, text), options)

/** Imports a table and scores rows by the model's own names. */
async function scorer(name: string, text: string, options = UNSCALED) {
  const { card, ...imported } = await importText(name, text, options)
  const compiled = compileScorecard(card)
  return { ...imported, card, score: (row: Record<string, unknown>) => compiled.scoreRow(row, 'android') }
}

describe('a custom table: variable,bin,points', () => {
  const TABLE = `variable,bin,points
basepoints,,100
age,"[-inf,26)",-5
age,"[26,inf)",10
age,missing,-1
home,own,7
home,"rent%,%free",-3
home,else,0
home,missing,1
`

  test('bin points and base points are added; brackets include or exclude the ends of intervals', async () => {
    const { score, format } = await scorer('card.csv', TABLE)
    expect(format).toBe('scorecardpy')
    expect(score({ age: 25.9, home: 'own' })).toMatchObject({ value: 102 })
    expect(score({ age: 26, home: 'free' })).toMatchObject({ value: 107 })
    expect(score({ home: 'tent' })).toMatchObject({ value: 99 })
    expect(score({ age: 30 })).toMatchObject({ value: 111 })
  })

  test('each contribution has the bin label of the table', async () => {
    const { score } = await scorer('card.csv', TABLE)
    expect(score({ age: 26, home: 'free' })).toMatchObject({
      contributions: [
        { characteristic: 'age', input: 26, bin: '[26,inf)', points: 10 },
        { characteristic: 'home', input: 'free', bin: 'rent%,%free', points: -3 },
      ],
    })
  })

  test.each([
    ['semicolons', TABLE.replaceAll(/,(?=[^"]*("[^"]*"[^"]*)*$)/gm, ';')],
    ['a byte order mark and Windows line ends', `\uFEFF${TABLE.replaceAll('\n', '\r\n')}`],
    [
      'the row numbers of pandas',
      TABLE.trimEnd()
        .split('\n')
        .map((line, at) => `${at === 0 ? '' : at - 1},${line}`)
        .join('\n'),
    ],
  ])('CSV with %s is the same table', async (_, text) => {
    const { score } = await scorer('card.csv', text)
    expect(score({ age: 26, home: 'free' })).toMatchObject({ value: 107 })
  })

  test.each([
    ['a list of records', (rows: object[]) => rows],
    [
      'lists of records by variable, as R writes a list of tables',
      (rows: { variable: string }[]) => Object.groupBy(rows, ({ variable }) => variable),
    ],
  ])('JSON as %s is the same table', async (_, shape) => {
    const rows = [
      { variable: 'basepoints', bin: null, points: 100 },
      { variable: 'age', bin: '[-Inf,26)', points: -5 },
      { variable: 'age', bin: '[26, Inf)', points: 10 },
    ]
    const { score } = await scorer('card.json', JSON.stringify(shape(rows)))
    expect(score({ age: 26 })).toMatchObject({ value: 110 })
  })

  test('comparisons, intervals closed on the right and single numbers are bins too', async () => {
    const { score, format } = await scorer(
      'plain.csv',
      'variable,bin,points\nage,<= 20,1\nage,"(20, 30]",2\nage,> 30,3\ncards,0,4\ncards,1,5\ncards,else,6\ncards,missing,7\n',
    )
    expect(format).toBe('table')
    expect(score({ age: 20, cards: 1 })).toMatchObject({ value: 6 })
    expect(score({ age: 30, cards: 0 })).toMatchObject({ value: 6 })
    expect(score({ age: 30.5, cards: 9 })).toMatchObject({ value: 9 })
    expect(score({ age: 30.5 })).toMatchObject({ value: 10 })
  })

  test('a value without a bin gets no score, and the notes list such variables', async () => {
    const { score, notes } = await scorer('card.csv', 'variable,bin,points\nhome,own,7\nhome,rent,1\n')
    expect(notes.join('\n')).toMatch(
      /No score if one of these is missing.*: home\n.*a category without a bin: home/,
    )
    expect(score({ home: 'tent' })).toMatchObject({ value: null, reason: expect.stringContaining('tent') })
    expect(score({})).toMatchObject({ value: null })
  })

  test.each<[what: string, text: string, says: RegExp]>([
    [
      'a gap',
      'variable,bin,points\nage,"[-inf,5)",1\nage,"[6,inf)",2\n',
      /age: above 5 and below 6, such as 5.5 has no bin|age: 5 has no bin/,
    ],
    ['an overlap', 'variable,bin,points\nage,"[-inf,6)",1\nage,"[5,inf)",2\n', /age: 5 has two bins/],
    [
      'points that are not a number',
      'variable,bin,points\nage,else,1\nage,missing,ten\n',
      /card.csv, line 3, column points: "ten" is not a number/,
    ],
    ['an empty bin', 'variable,bin,points\nage,,1\n', /card.csv, line 2, column bin is empty/],
    [
      'a line with too few cells',
      'variable,bin,points\nage,else\n',
      /card.csv, line 2 has 2 cells instead of 3/,
    ],
    [
      'an unclosed quoted cell',
      'variable,bin,points\nage,"[1,2),1\n',
      /card.csv is not CSV: Quote Not Closed/,
    ],
    [
      'no column of bins',
      'variable,points\nage,1\n',
      /card.csv has no column bin or attribute; its columns are variable, points/,
    ],
    ['a duplicate column', 'variable,bin,bin,points\n', /has two columns bin/],
    ['an empty file', '', /card.csv is empty/],
    [
      'an interval in another notation',
      'variable,bin,points\nage,00.[-inf ~ 5),1\nage,01.[5 ~ inf),2\n',
      /card.csv, line 2: "00.\[-inf ~ 5\)" looks like an interval/,
    ],
    [
      'an interval among texts',
      'variable,bin,points\nage,"[1,inf)",1\nage,below one,2\n',
      /card.csv, line 3: "below one" is neither a number nor an interval/,
    ],
  ])('%s is rejected with its location', async (_, text, says) => {
    await expect(importText('card.csv', text)).rejects.toThrow(says)
  })
})

describe('scorecardpy and R’s scorecard', () => {
  const CARD = `variable,bin,points
basepoints,,448.0
amount,missing,3.0
amount,-999,-40.0
amount,"[-inf,1400.0)%,%[9000.0,inf)",-2.0
amount,"[1400.0,9000.0)",39.0
guarantors,none,-0.0
guarantors,"co-applicant%,%guarantor",5.0
`
  const BINS = `variable,bin,count,woe
amount,missing,1,-0.1
amount,-999,1,2.0
amount,"[-inf,1400.0)%,%[9000.0,inf)",267,0.25
amount,"[1400.0,9000.0)",105,-0.75
guarantors,none,907,0.0
guarantors,"co-applicant%,%guarantor",93,-0.5
`
  const MODEL = 'term,coef\n(intercept),-0.8\namount_woe,0.5\nguarantors_woe,1.2\n'

  test('a number next to intervals is a special value, and a bin can have several intervals', async () => {
    const { score } = await scorer('card.csv', CARD)
    expect(score({ amount: -999, guarantors: 'none' })).toMatchObject({ value: 408 })
    expect(score({ amount: -998, guarantors: 'none' })).toMatchObject({ value: 446 })
    expect(score({ amount: 9000, guarantors: 'guarantor' })).toMatchObject({ value: 451 })
    expect(score({ guarantors: 'none' })).toMatchObject({ value: 451 })
  })

  test('points0, odds0 as bad:good and pdo give the probability by the scaling line', async () => {
    const { score } = await scorer('card.csv', CARD, {
      bad: 'bad',
      pdo: 50,
      baseScore: 448,
      baseOdds: 1 / 19,
    })
    // 451 is 3 points above the base score
    const odds = (1 / 19) * 2 ** (-3 / 50)
    const scored = score({ amount: 1, guarantors: 'co-applicant' })
    expect(scored).toMatchObject({ value: 451, probabilityFrom: 'scaling' })
    expect(scored).toMatchObject({ unroundedProbability: expect.closeTo(odds / (1 + odds), 12) })
  })

  test('coefficients and weights of evidence give the exact probability without scaling', async () => {
    const [model, bins] = await Promise.all([save('model.csv', MODEL), save('bins.csv', BINS)])
    const { score } = await scorer('card.csv', CARD, { bad: 'bad', model, bins })
    const scored = score({ amount: 2000, guarantors: 'guarantor' })
    expect(scored).toMatchObject({
      value: 492,
      logOdds: -0.8 + 0.5 * -0.75 + 1.2 * -0.5,
      probabilityFrom: 'logit',
    })
  })

  test('a bin without weight of evidence, or a variable without coefficient, is rejected', async () => {
    const [model, bins, few, none] = await Promise.all([
      save('model.csv', MODEL),
      save('bins.csv', BINS),
      save('few.csv', BINS.replace('-999', '-998')),
      save('none.csv', MODEL.replace('guarantors_woe,1.2\n', '')),
    ])
    await expect(importText('card.csv', CARD, { bad: 'bad', model, bins: few })).rejects.toThrow(
      /card.csv, line 4: few.csv has no bin "-999" of amount/,
    )
    await expect(importText('card.csv', CARD, { bad: 'bad', model: none, bins })).rejects.toThrow(
      /no coefficient for guarantors/,
    )
    await expect(importText('card.csv', CARD, { bad: 'bad', model })).rejects.toThrow(
      /both --model.*and --bins/,
    )
  })

  test('a coefficient of a variable that the card lacks is rejected, unless it is 0; so is a duplicate', async () => {
    const [bins, more, zero, twice] = await Promise.all([
      save('bins.csv', BINS),
      save('more.csv', `${MODEL}purpose_woe,0.4\n`),
      save('zero.csv', `${MODEL}purpose_woe,0\n`),
      save('twice.csv', `${MODEL}amount,0.4\n`),
    ])
    await expect(importText('card.csv', CARD, { bad: 'bad', model: more, bins })).rejects.toThrow(
      /coefficient for purpose, which is not in the card/,
    )
    await expect(importText('card.csv', CARD, { bad: 'bad', model: twice, bins })).rejects.toThrow(
      /twice.csv, line 5: duplicate coefficient of amount/,
    )
    const { score } = await scorer('card.csv', CARD, { bad: 'bad', model: zero, bins })
    expect(score({ amount: 2000, guarantors: 'guarantor' })).toMatchObject({
      logOdds: -0.8 + 0.5 * -0.75 + 1.2 * -0.5,
    })
  })

  test('missing scaling and a missing definition of bad are requested', async () => {
    await expect(importText('card.csv', CARD, { bad: 'bad' })).rejects.toThrow(
      /give --pdo, --base-score, --base-odds \(points0, odds0 and pdo; 600, 1\/19 and 50 by default; odds are bad:good\), or --no-probability/,
    )
    await expect(importText('card.csv', CARD, { probability: false })).rejects.toThrow(
      /does not define bad: give it, for example --bad/,
    )
  })
})

describe('OptBinning', () => {
  const SUMMARY = `,Variable,Bin,Points
0,amount,"(-inf, 1400.00)",10.5
1,amount,"[1400.00, inf)",20.25
2,amount,Special,4.0
3,amount,Missing,3.0
0,home,['own'],7.0
1,home,"['rent' 'for ""free""'
 ""mother's""]",-3.5
2,home,Special,1.0
3,home,Missing,2.0
`

  test('a list of categories as pandas 3 prints it is rejected, not treated as a category', async () => {
    const printed = "<StringArray>\n['own']\nLength: 1, dtype: str"
    const table = SUMMARY.replace("['own']", `"${printed}"`)
    await expect(importText('pandas3.csv', table)).rejects.toThrow(
      'a bin is printed as <StringArray> (pandas 3)',
    )
  })

  test('points are used unchanged, including those of missing values, and categories as printed by numpy', async () => {
    const { score, format, notes } = await scorer('table.csv', SUMMARY)
    expect(format).toBe('optbinning')
    expect(score({ amount: 1399.99, home: "mother's" })).toMatchObject({ unrounded: 7 })
    expect(score({ amount: 1400, home: 'for "free"' })).toMatchObject({ unrounded: 16.75 })
    expect(score({})).toMatchObject({ unrounded: 5 })
    expect(notes.join('\n')).toMatch(
      /Special is ignored, because the map has no special values: amount, home/,
    )
  })

  test('the detailed table is read by the same columns, independent of its weights of evidence', async () => {
    const detailed = `Variable,Bin id,Bin,Count,Count (%),Non-event,Event,Event rate,WoE,IV,JS,Coefficient,Points
amount,0,"(-inf, 5.00)",10,0.5,5,5,0.5,0.7,0.1,0.01,-0.8,11.0
amount,1,"[5.00, inf)",10,0.5,9,1,0.1,-0.7,0.1,0.01,-0.8,22.0
amount,2,Special,0,0.0,0,0,0,0.0,0,0,-0.8,99.0
amount,3,Missing,0,0.0,0,0,0,0.0,0,0,-0.8,15.5
`
    const { score } = await scorer('detailed.csv', detailed)
    expect(score({ amount: 5 })).toMatchObject({ unrounded: 22 })
    expect(score({})).toMatchObject({ unrounded: 15.5 })
  })

  test('special values of the map get the points of Special', async () => {
    const map = await readFeatureMap(
      await save('map.csv', 'input,feature,special\namount,apps_count,-1|-2\nhome,device_brand,unknown\n'),
    )
    const { score } = await scorer('table.csv', SUMMARY, { ...UNSCALED, map })
    expect(score({ amount: -2, home: 'own' })).toMatchObject({ unrounded: 11 })
    expect(score({ amount: -3, home: 'unknown' })).toMatchObject({ unrounded: 11.5 })
  })

  test('a missing intercept is requested', async () => {
    const based = 'Variable,Bin,Points\na,"(-inf, 1.00)",0\na,"[1.00, inf)",5\na,Missing,1\n'
    await expect(importText('t.csv', based)).rejects.toThrow(/intercept-based.*--base-points/)
    const { score } = await scorer('t.csv', based, { ...UNSCALED, basePoints: 300 })
    expect(score({ a: 1 })).toMatchObject({ value: 305 })
  })

  test('bounds that are equal after rounding are rejected with advice', async () => {
    const rounded = 'Variable,Bin,Points\na,"(-inf, 0.00)",1\na,"[0.00, 0.00)",2\na,"[0.00, inf)",3\n'
    await expect(importText('t.csv', rounded)).rejects.toThrow(
      /t.csv, line 3: the bin \[0.00, 0.00\) is empty because.*show_digits/,
    )
  })
})

describe('toad', () => {
  const CARD = JSON.stringify({
    amount: { '[-inf ~ 5)': 10.5, '[5 ~ inf)': 20.25, nan: 3 },
    home: { 'own,bought': 7, 'rent,nan': -3.5, else: 1 },
  })
  const SCALED: ImportOptions = { bad: 'bad', pdo: 60, baseScore: 750, baseOdds: 35 }

  test('points by bin, with nan as missing and commas between categories; odds are good:bad', async () => {
    const { score, format } = await scorer('card.json', CARD, SCALED)
    expect(format).toBe('toad')
    expect(score({ amount: 5, home: 'bought' })).toMatchObject({ unrounded: 27.25 })
    expect(score({ home: 'tent' })).toMatchObject({ unrounded: 4 })
    // toad's score_to_proba: 1 / (1 + e^((score - offset) / factor))
    const factor = 60 / Math.log(2)
    const offset = 750 - factor * Math.log(35)
    expect(score({})).toMatchObject({
      unrounded: -0.5,
      unroundedProbability: expect.closeTo(1 / (1 + Math.exp((-0.5 - offset) / factor)), 12),
    })
  })

  test('its exported CSV gives the same result', async () => {
    const csv =
      ',name,value,score\n0,amount,[-inf ~ 5),10.5\n1,amount,[5 ~ inf),20.25\n2,amount,nan,3.0\n' +
      '3,home,"own,bought",7.0\n4,home,"rent,nan",-3.5\n5,home,else,1.0\n'
    const [fromCsv, fromJson] = [
      await scorer('card.csv', csv, SCALED),
      await scorer('card.json', CARD, SCALED),
    ]
    expect(fromCsv.format).toBe('toad')
    expect(fromCsv.card.model).toEqual(fromJson.card.model)
    await expect(importText('card.csv', csv.replace('20.25', 'many'), SCALED)).rejects.toThrow(
      /card.csv, line 3, column score: "many" is not a number/,
    )
  })

  test('pdo and base odds are requested, since its export lacks them', async () => {
    await expect(importText('card.json', CARD, { bad: 'bad' })).rejects.toThrow(
      /give --pdo, --base-score, --base-odds.*750, 35 and 60/,
    )
  })
})

describe('file formats', () => {
  test.each([
    ['model.pkl', 'a', /model.pkl is not supported: reading a pickle .*save_model/s],
    ['model.joblib', 'a', /runs code from the file/],
    ['model.onnx', 'a', /PMML.*zipmap/s],
    ['model.ubj', 'a', /save it as JSON/],
    ['model.txt', 'tree\nversion=v4\n', /dump_model/],
    // with any file name
    ['card.csv', Buffer.from('8004955d00000000', 'hex'), /card.csv is not supported: reading a pickle/],
    ['card.json', Buffer.from('08071208736b6c326f6e6e78', 'hex'), /card.json is ONNX.*zipmap/s],
    ['model.json', Buffer.from('{L\0\0\0\0\0\0\0\0'), /binary XGBoost model/],
    ['card.csv', Buffer.from('variable,bin,points\n', 'utf16le'), /card.csv is not text; .* in UTF-8/],
    ['model.txt', Buffer.from('PK\u0003\u0004\n\0\0\0'), /model.txt is not text/],
    ['model.json', '{"a":', /model.json is not JSON/],
    ['model.json', '{"a":1}', /unknown JSON format.*lightgbm/s],
    ['model.xml', '<?xml version="1.0"?><html/>', /model.xml: line 1, <html>: this is not PMML/],
  ])('%s with %j is rejected with advice', async (name, text, says) => {
    await expect(importText(name, text)).rejects.toThrow(says)
  })

  test('a format can be forced, and is rejected for a file of another kind', async () => {
    const text = 'variable,bin,points\nbasepoints,,1\nage,else,1\nage,missing,1\n'
    expect(await importText('card.csv', text, { ...UNSCALED, format: 'table' })).toMatchObject({
      format: 'table',
    })
    await expect(importText('card.csv', text, { ...UNSCALED, format: 'toad' })).rejects.toThrow(
      /card.csv has no column name; its columns are variable, bin, points/,
    )
    await expect(importText('card.csv', text, { ...UNSCALED, format: 'pmml' })).rejects.toThrow(/is not XML/)
  })
})

describe('the feature map', () => {
  const CARD =
    'variable,bin,points\nage,"[-inf,26)",-5\nage,"[26,inf)",10\nbrand,apple,7\nbrand,else,0\nbrand,missing,0\n'

  test('assigns features to inputs and texts to reasons; the baseline defaults to the highest points', async () => {
    const map = await readFeatureMap(
      await save(
        'map.csv',
        'input,feature,missing,reason,text,baseline\nage,device_os_age_years,-1,R1,The phone is old,\nbrand,device_brand,,R2,,3\n',
      ),
    )
    const { card, score, unmapped } = await scorer('card.csv', CARD, { ...UNSCALED, map })
    expect(unmapped).toEqual([])
    expect(card.inputs.map(({ name, feature }) => [name, feature])).toEqual([
      ['age', 'device_os_age_years'],
      ['brand', 'device_brand'],
    ])
    expect(card.platforms).toEqual(['android', 'ios'])
    expect(card.reasons.texts).toEqual({ R1: { en: 'The phone is old' }, R2: { en: 'R2' } })
    expect(score({ age: 1, brand: 'nokia' })).toMatchObject({ reasons: ['R1', 'R2'] })
    expect(score({ age: 30, brand: 'apple' })).toMatchObject({ reasons: [] })
    expect(score({ age: -1, brand: 'apple' })).toMatchObject({ value: null })
  })

  test('an unknown feature and an input without a line are rejected with the nearest names', async () => {
    await expect(
      readFeatureMap(await save('map.csv', 'input,feature\nbrand,device_brands\n')),
    ).rejects.toThrow(/map.csv, line 2: unknown feature "device_brands"; the nearest are device_brand,/)
    const map = await readFeatureMap(await save('map.csv', 'input,feature\nbrand,device_brand\n'))
    await expect(importText('card.csv', CARD, { ...UNSCALED, map })).rejects.toThrow(
      /The map lacks the input age; the nearest are/,
    )
  })

  test('a feature of a type that the model cannot read is rejected on import', async () => {
    const map = await readFeatureMap(
      await save('map.csv', 'input,feature\nbrand,device_rooted\nage,apps_count\n'),
    )
    await expect(importText('card.csv', CARD, { ...UNSCALED, map })).rejects.toThrow(
      /"apple" is neither true nor false/,
    )
  })
})

test('the file of an imported scorecard is identified by its hash', async () => {
  const { card } = await importText('card.csv', 'variable,bin,points\nage,else,1\nage,missing,1\n')
  expect(card.source.sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(card.name).toBe('card')
})
