import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT } from './support/start-process.ts'

/** Number of requirements of levels 1 and 2 in each section of ASVS 5.0.0; within a section, those of level 3 have the last numbers. */
const SECTIONS: Record<string, number> = {
  ...{ '1.1': 2, '1.2': 9, '1.3': 11, '1.4': 3, '1.5': 2 },
  ...{ '2.1': 3, '2.2': 3, '2.3': 4, '2.4': 1 },
  ...{ '3.2': 2, '3.3': 4, '3.4': 6, '3.5': 5, '3.7': 2 },
  ...{ '4.1': 3, '4.2': 1, '4.3': 2, '4.4': 4 },
  ...{ '5.1': 1, '5.2': 3, '5.3': 2, '5.4': 3 },
  ...{ '6.1': 3, '6.2': 12, '6.3': 4, '6.4': 4, '6.5': 5, '6.6': 3, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 2, '7.6': 2 },
  ...{ '8.1': 2, '8.2': 3, '8.3': 1, '8.4': 1 },
  ...{ '9.1': 3, '9.2': 4 },
  ...{ '10.1': 2, '10.2': 2, '10.3': 4, '10.4': 11, '10.5': 5, '10.6': 2, '10.7': 3 },
  ...{ '11.1': 2, '11.2': 3, '11.3': 3, '11.4': 4, '11.5': 1, '11.6': 1 },
  ...{ '12.1': 3, '12.2': 2, '12.3': 4 },
  ...{ '13.1': 1, '13.2': 5, '13.3': 2, '13.4': 5 },
  ...{ '14.1': 2, '14.2': 4, '14.3': 3 },
  ...{ '15.1': 3, '15.2': 3, '15.3': 7 },
  ...{ '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 3 },
  ...{ '17.1': 1, '17.2': 4, '17.3': 2 },
}

const ITEMS = Object.entries(SECTIONS).flatMap(([section, count]) =>
  Array.from({ length: count }, (_, at) => `${section}.${at + 1}`),
)

/** States without "open": a requirement that is ours to meet and is not met. */
const STATES = ['met', 'not applicable', 'operator', 'accepted']

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8')
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** Returns the items of `1.2.1`, `1.2.1, 1.2.3` or `1.2.1–1.2.3`. */
const expand = (cell: string) =>
  cell.split(', ').flatMap((part) => {
    const [first = '', last = first] = part.split('–')
    return ITEMS.slice(ITEMS.indexOf(first), ITEMS.indexOf(last) + 1)
  })

const ROWS = read('docs/asvs.md')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [item = '', about = '', state = '', reason = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    return { item, about, state, reason, items: expand(item) }
  })

test('docs/asvs.md has each requirement of levels 1 and 2 once, in order', () => {
  expect(ITEMS).toHaveLength(253)
  expect(ROWS.flatMap(({ items }) => items)).toEqual(ITEMS)
})

test('each row has a state, and none is open', () => {
  expect(ROWS.filter(({ about, state, reason }) => !STATES.includes(state) || !about || !reason)).toEqual([])
})

test('each requirement that is met names a test or a document, and each named test exists', () => {
  const exists = (name: string) => existsSync(join(PROJECT, 'test', `${name}.test.ts`))
  const isTest = (code: string) =>
    /^(api|db|faults|portal|processes|scripts|sdk|worker)\/|^dependencies$|^import-rule$/.test(code)
  const isProved = ({ reason }: { reason: string }) =>
    quoted(reason).some((code) => isTest(code)) || /\]\([^)]+\)/.test(reason)
  expect(ROWS.filter((row) => row.state === 'met' && !isProved(row)).map(({ item }) => item)).toEqual([])
  const named = ROWS.flatMap(({ reason }) => quoted(reason).filter((code) => isTest(code)))
  expect(named.length).toBeGreaterThan(150)
  expect([...new Set(named.filter((name) => !exists(name)))]).toEqual([])
})

test('SECURITY.md counts the requirements of each chapter by their state', () => {
  const counted = [
    ...read('SECURITY.md').matchAll(/^\| V(\d+) [^|]+\|([^|]+)\|([^|]+)\|([^|]+)\|([^|]+)\|$/gm),
  ].map(([, chapter, ...counts]) => [Number(chapter), ...counts.map(Number)])
  const ofState = (chapter: number, state: string) =>
    ROWS.filter((row) => row.state === state)
      .flatMap(({ items }) => items)
      .filter((item) => item.startsWith(`${chapter}.`)).length
  const chapters = Array.from({ length: 17 }, (_, at) => at + 1)
  expect(counted).toEqual(
    chapters.map((chapter) => [chapter, ...STATES.map((state) => ofState(chapter, state))]),
  )
})
