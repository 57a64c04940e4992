import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeFragment } from '../../db/scorecards/fragments.ts'
import { ALWAYS_IGNORED } from '../../scripts/comparison/compare-services.ts'
import { describeOutcome, openComparedService } from '../../scripts/comparison/compared-service.ts'
import { listDifferences } from '../../scripts/comparison/list-differences.ts'
import { generateUploads, readUploads } from '../../scripts/comparison/read-uploads.ts'
import { readToEnd } from '../support/read-to-end.ts'
import { PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'
import { PROJECT } from '../support/start-process.ts'

describe('two services', () => {
  let left: Service
  let right: Service
  let env: Record<string, string>
  let directory: string

  const variablesOf = (side: string, { uploaderKey, userEmail }: Tenant) => ({
    [`${side}_API_KEY`]: uploaderKey,
    [`${side}_EMAIL`]: userEmail,
    [`${side}_PASSWORD`]: PASSWORD,
  })

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'inkling-compare-'))
    left = await startService()
    right = await startService()
    const [one, other] = [await left.openTenant(), await right.openTenant()]
    await removeFragment(right.db, other.subscriptionId, 'velocity')
    env = { ...variablesOf('LEFT', one), ...variablesOf('RIGHT', other) }
  })
  afterAll(async () => {
    await Promise.all([left.stop(), right.stop()])
    await rm(directory, { recursive: true, force: true })
  })

  const compare = (args: readonly string[], changed: Record<string, string> = {}) =>
    readToEnd(
      spawn(
        join(PROJECT, 'scripts/node'),
        [
          'scripts/run-command.ts',
          'compare',
          '--left',
          left.url,
          '--right',
          right.url,
          '--rate',
          '50',
          ...args,
        ],
        { cwd: PROJECT, env: { ...process.env, ...env, ...changed } },
      ),
    )

  test('of different configurations: each difference by its place, as JSON and as text', async () => {
    const file = join(directory, 'uploads.ndjson')
    const [first, second] = generateUploads(2, 'compare')
    await writeFile(file, `${JSON.stringify(first)}\n${JSON.stringify({ ...second, data: 'AAAA' })}\n`)
    const listed = await compare(['--json', directory])
    expect(listed.stderr).toMatch(/^Compared 2 of 2 in /)
    const [one, other] = listed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(one).toEqual({
      referenceNumber: expect.stringMatching(/^compare-\w+-1$/),
      source: `${file}:1`,
      differences: [{ pointer: '/fragments/velocity', left: expect.objectContaining({ code: 'velocity' }) }],
    })
    expect([other.source, other.differences]).toEqual([`${file}:2`, []]) // dataset_invalid by both
    expect(listed.code).toBe(1)

    const shown = await compare(['--generate', '1', '--prefix', 'shown'])
    expect(shown.stdout).toContain('shown-1 (generated 1)\n  /fragments/velocity: {"code":"velocity"')
    expect(shown.stdout).toContain('| /fragments/velocity | 1       |')
    expect(shown.stdout).toMatch(/\n0 of 1 uploads have the same insight, 1 differ\n$/)

    const ignored = await compare(['--generate', '1', '--ignore', '/fragments/velocity'])
    expect([ignored.code, ignored.stdout]).toEqual([0, '1 of 1 uploads have the same insight, 0 differ\n'])

    // the number is taken by other data in both services
    const taken = await compare(['--generate', '1', '--seed', '2', '--prefix', 'shown', '--json'])
    expect([taken.code, JSON.parse(taken.stdout).differences]).toEqual([0, []])
  }, 120_000)

  test.each<[string, readonly string[], Record<string, string>, string]>([
    [
      'wrong password',
      ['--generate', '1'],
      { LEFT_PASSWORD: 'x' },
      'left: the login was answered 401 invalid_credentials\n',
    ],
    [
      'no service',
      ['--generate', '1', '--right', 'http://127.0.0.1:9'],
      {},
      'right: POST http://127.0.0.1:9/api/account/v1/login: ',
    ],
    ['no key', ['--generate', '1'], { RIGHT_API_KEY: '' }, 'RIGHT_API_KEY: is required'],
    ['nothing to upload', [], {}, 'Name files with captures, or add --generate with a number\n'],
  ])('with %s, it ends with code 2 and a message', async (_, args, changed, message) => {
    const { code, stdout, stderr } = await compare(['--wait', '0', ...args], changed)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })
})

test('a busy service is retried after Retry-After, and an expired token is renewed', async () => {
  const answers: [number, object][] = [
    [200, { access_token: 'first' }],
    [503, {}],
    [429, {}],
    [409, { title: 'reference_number_taken' }],
    [401, {}],
    [200, { access_token: 'second' }],
    [200, { scores: [] }],
  ]
  const requests: string[] = []
  const server = createServer(({ method, url, headers: { authorization } }, response) => {
    requests.push([method, url?.split('/').at(-1), authorization].join(' '))
    const [status, body] = answers[requests.length - 1] ?? [500, {}]
    response.writeHead(status, { 'Retry-After': '0' }).end(JSON.stringify(body))
  }).listen(0)
  await once(server, 'listening')
  const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}/`
  const access = { baseUrl, apiKey: 'key', email: 'a@b.example', password: 'x' }
  const service = await openComparedService('left', access, 1_000)
  expect(describeOutcome(await service.upload({}))).toBe('409 reference_number_taken')
  expect(await service.readInsight('a/b')).toEqual({ status: 200, body: { scores: [] } })
  expect(requests).toEqual([
    ...['POST login ', ...Array(3).fill('POST upload Bearer key'), 'GET datasetinsight Bearer first'],
    ...['POST login ', 'GET datasetinsight Bearer second'],
  ])
  server.close()
})

describe('differences', () => {
  test('are found by code, whatever the order, and by members that one side lacks', () => {
    const left = {
      scores: [
        { code: 'a', value: 1 },
        { code: 'b', value: 2, probability: 0.25 },
      ],
      fragments: [{ code: 'p', value: [{ permission: 'x/y', state: '1' }] }],
      list: [1, 2],
      same: null,
    }
    const right = {
      scores: [
        { code: 'b', value: 3, probability: 0.2501 },
        { code: 'a', value: 1 },
      ],
      fragments: [{ code: 'p', value: [{ permission: 'x/y', state: null }] }],
      list: [1],
      same: null,
      more: '1',
    }
    const expected = [
      { pointer: '/scores/b/value', left: 2, right: 3 },
      { pointer: '/scores/b/probability', left: 0.25, right: 0.2501 },
      { pointer: '/fragments/p/value/x~1y/state', left: '1', right: null },
      { pointer: '/list/1', left: 2 },
      { pointer: '/more', right: '1' },
    ]
    expect(listDifferences(left, right)).toEqual(expected)
    expect(listDifferences(left, right, 0.0001)).toEqual(expected.filter((_, at) => at !== 1))
  })

  test('of types are differences', () => {
    expect(listDifferences({ a: '1', b: [], c: {} }, { a: 1, b: {}, c: null })).toHaveLength(3)
    expect(ALWAYS_IGNORED).toEqual(['/requestedDate', '/requestor', '/datasetInfo/uploadDate'])
  })
})

test('folders are read in the order of their names, and a file without a capture is rejected', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-uploads-'))
  await writeFile(join(directory, 'b.json'), '{"format":"capture/1"}')
  await writeFile(
    join(directory, 'a.json'),
    '{"data":"H4sIAAAA","realIp":"10.0.0.1","additionalInfo":{"x":1}}',
  )
  await writeFile(join(directory, 'readme.md'), 'x')
  const [a, b, ...others] = await readUploads([directory])
  expect(a).toEqual({ name: join(directory, 'a.json'), data: 'H4sIAAAA', realIp: '10.0.0.1' })
  expect([b?.name, others]).toEqual([join(directory, 'b.json'), []])
  await writeFile(join(directory, 'c.txt'), 'no capture')
  await expect(readUploads([directory])).rejects.toThrow(/c\.txt: The file is text, but neither/)
  await rm(directory, { recursive: true })
})
