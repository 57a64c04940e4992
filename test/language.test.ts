import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT } from './support/start-process.ts'

/** Words of an earlier private dialect, each with the standard term to use. */
const RETIRED: [pattern: RegExp, term: string][] = [
  [/\b(bells?|rang|ringing)\b/i, 'queue producer, enqueued'],
  [/\b(?<!')rung(?!')\b(?! claimed)/, 'enqueued'], // a published event of timelines, and columns, keep it
  [/\bpatience\b/i, 'enqueue timeout'],
  [/\bin[ -]?hand\b|\binHand\b/, 'in flight'],
  [/\bkeep[ -]?house\b/i, 'prune expired'],
  [
    /\b(walkOn|recallDigest|takeOverdue|processGroup|GroupJob|goOn|openHouse)\b/,
    'docs/architecture.md, glossary',
  ],
  [/\btold\b/i, 'returned, shown'],
  [/\b(is|are) away\b/i, 'unavailable'],
  [/\bhears? of\b/i, 'is called with'],
  [/\bmade anew\b/i, 'recreated'],
  [/\bfor ever\b/i, 'indefinitely'],
]

/** The CHANGELOG, migrations that have run, and `rung` as a key of the portal's texts of events. */
const EXEMPT =
  /^(CHANGELOG\.md|package-lock\.json|db\/migrations\/.*|test\/language\.test\.ts|api\/portal\/pages\/insight\/timeline\/.*|db\/datasets\/timeline\.ts)$|\.(png|svg|json)$/

test('code and documents use the standard terms', () => {
  const listed = execFileSync('git', ['ls-files'], { cwd: PROJECT, encoding: 'utf8' }).trimEnd().split('\n')
  const found = listed
    .filter((path) => !EXEMPT.test(path))
    .flatMap((path) =>
      readFileSync(join(PROJECT, path), 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          RETIRED.filter(([pattern]) => pattern.test(line)).map(
            ([, term]) => `${path}:${at + 1}: use “${term}”: ${line.trim()}`,
          ),
        ),
    )
  expect(listed.length).toBeGreaterThan(500)
  expect(found).toEqual([])
})
