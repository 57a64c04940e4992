import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createApiKey } from '../../db/accounts/api-keys.ts'
import { generateCaptures } from '../../scripts/captures/generate-captures.ts'
import { presentCommands } from '../../scripts/demo-steps/present-commands.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { logIn, upload } from '../support/client.ts'
import { readToEnd } from '../support/read-to-end.ts'
import { PASSWORD } from '../support/service.ts'
import { killProcesses, PROJECT, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 }) // a command takes 0.6 s of processor time to start

let stack: TestStack
let web: WebProcess
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'inkling-pasted-'))
  for (const name of ['scripts', 'docs', 'node_modules', 'package.json'])
    await symlink(join(PROJECT, name), join(directory, name))
  stack = await startTestStack()
  ;[web] = await Promise.all([stack.startWeb(), stack.startWorker()])
})
afterAll(async () => {
  await killProcesses()
  await stack[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

/** Output of commands pasted into a shell in the project. Each must succeed, as must the responses to curl. */
async function paste(
  commands: string,
  env: Record<string, string> = stack.env,
  cwd = directory,
): Promise<string> {
  const strict = 'curl() { command curl --fail-with-body "$@"; }'
  const child = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', `${strict}\n${commands}`], {
    cwd,
    env,
  })
  const { code, stdout, stderr } = await readToEnd(child)
  expect({ code, stderr }, stdout.slice(-1_000)).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** The first code of a language in a section of a document. */
async function readCode(path: string, heading: string, language: string): Promise<string> {
  const text = await readFile(join(PROJECT, path), 'utf8')
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? ''
}

/** The shell commands of a section of a document. */
async function readCommands(path: string, heading: string): Promise<string[]> {
  const text = await readFile(join(PROJECT, path), 'utf8')
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
}

test('the commands of the README upload a dataset and read its insight', async () => {
  const [commands = ''] = await readCommands('README.md', 'Try it')
  const [sample] = generateCaptures({ seed: 'readme', count: 1, size: 'small' })
  const { tenant } = stack
  const values: Record<string, string> = {
    LOGIN: tenant.userEmail,
    PASSWORD,
    UPLOADER_KEY: tenant.uploaderKey,
    REQUESTER_KEY: tenant.requesterKey,
    REFERENCE: sample?.referenceNumber ?? '',
    TOKEN: await logIn(web.url, tenant),
  }
  const filled = commands
    .replaceAll('http://localhost:3000', web.url)
    .replace(/\b(LOGIN|PASSWORD|UPLOADER_KEY|REQUESTER_KEY|REFERENCE|TOKEN)\b/g, (name) => values[name] ?? '')
  const answers = await paste(filled)
  for (const member of ['access_token', 'uploadDate', 'branch', 'scores', 'insights'])
    expect(answers).toContain(`"${member}"`)
})

test('the admin commands of docs/operations/administration.md work in their order', async () => {
  const [commands = ''] = await readCommands('docs/operations/administration.md', 'Admin command')
  const lines = commands.trimEnd().split('\n')
  const until = lines.findIndex((line) => line.includes('fragment deploy'))
  const env = { ...stack.env, PASSWORD }
  const made = await paste(lines.slice(0, until).join('\n'), env)
  const [, key = ''] = /"key":"(ink_[^"]+)"/.exec(made) ?? []
  const body = anUpload()
  expect((await upload(web.url, key, body)).status).toBe(200)
  const rest = lines.slice(until).join('\n').replace('REFERENCE', body.referenceNumber)
  expect(await paste(rest, env)).toMatch(/"timeline"[\s\S]*"datasets":\[\][\s\S]*Usage: scripts\/admin/)
})

test('the commands that the demo prints work unchanged', async () => {
  const { tenant, env } = stack
  const file = join(directory, "a reader's upload.json")
  const body = anUpload()
  await writeFile(file, JSON.stringify(body))
  const printed = presentCommands({
    baseUrl: web.url,
    applicationUrl: '',
    databaseUrl: stack.databaseUrl,
    redisUrl: env.REDIS_URL,
    credentials: {
      subscription: { id: tenant.subscriptionId, name: `'${tenant.name}'` },
      login: { userEmail: tenant.userEmail, password: PASSWORD },
      role: 'admin',
      uploaderKey: tenant.uploaderKey,
      requesterKey: tenant.requesterKey,
    },
    sample: { file, referenceNumber: body.referenceNumber },
  })
  const commands = printed.slice(printed.indexOf('# Sign in'))
  const { DATABASE_URL: _, REDIS_URL: __, ...rest } = env
  const answers = await paste(`${commands}\necho "queue at $REDIS_URL"`, rest)
  for (const member of ['uploadDate', 'client-1', 'scores', 'insights', 'features', 'openapi', 'champion'])
    expect(answers).toContain(`"${member}"`)
  expect(answers).toContain(`queue at ${env.REDIS_URL}`)
})

test('the clients of docs/clients.md upload a dataset and read its insight', async () => {
  const folder = await mkdtemp(join(directory, 'clients-'))
  await writeFile(join(folder, 'capture.json'), JSON.stringify(aCapture()))
  const { key } = await createApiKey(stack.db, {
    subscriptionId: stack.tenant.subscriptionId,
    scopes: ['datasets:write', 'insights:read'],
  })
  const shell = (await readCode('docs/clients.md', 'Shell', 'sh'))
    .replace('http://localhost:3000', web.url)
    .replace('INKLING_KEY', key)
  expect(await paste(`cd '${folder}'\n${shell}`)).toContain('"referenceNumber":"LN-curl"')

  const env = { ...stack.env, URL: web.url, KEY: key }
  await writeFile(join(folder, 'client.py'), await readCode('docs/clients.md', 'Python', 'python'))
  const python = 'if command -v python3 > /dev/null; then python3 client.py; else echo LN-python; fi'
  expect(await paste(`cd '${folder}'\n${python}`, env)).toContain('LN-python')
})

describe('docs/tutorial.md', () => {
  let home: string
  let env: Record<string, string>

  beforeAll(async () => {
    home = await mkdtemp(join(directory, 'home-'))
    const npm = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_update_notifier: 'false' }
    env = { ...stack.env, ...npm, HOME: home }
  })

  test('leads from an empty folder to a backend that decides', async () => {
    const tutorial = (await readFile(join(PROJECT, 'docs/tutorial.md'), 'utf8'))
      .replace('```sh\nscripts/demo\n```', '') // the stack of this file
      .replaceAll('localhost:3000', new URL(web.url).host)
      .replaceAll('4000', String(await findFreePort()))
    const parts = [...tutorial.matchAll(/(?:^Create `(\S+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```/gm)]
    const commands = parts.map(([, file, , code = '']) =>
      file === undefined ? code : `cat > ${file} <<'END_OF_FILE'\n${code}END_OF_FILE\n`,
    )
    expect(commands).toHaveLength(8)
    const stop = "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT"
    const printed = await paste(['unset -f curl', stop, ...commands].join('\n'), env, PROJECT)
    expect(printed).toMatch(
      /"referenceNumber":"LN-[\s\S]*dataset\.ready LN-[\s\S]*"accepted"[\s\S]*missing_header/,
    )
  })

  test('installs a package whose types a consumer can check', async () => {
    const lender = join(home, 'lender')
    const code = `
      import { Inkling, ProblemError, verifyWebhook, type Insight } from '@inkling/client'
      const inkling = new Inkling({ baseUrl: 'https://x.example', key: 'ink_x' })
      await inkling.upload({ referenceNumber: 'R', capture: {} }, { signal: AbortSignal.timeout(1_000) })
      await inkling.upload({ referenceNumber: 'R', data: new Blob([]) })
      const insight: Insight = await inkling.waitForInsight('R', { timeoutMs: 5_000 })
      const codes: string[] = insight.insights.map(({ code }) => code)
      const [first] = await inkling.insights(['R'])
      first?.insight?.insights
      for await (const { status } of inkling.datasets.list({ status: 'ready' })) status satisfies string
      for await (const { id } of inkling.events({ types: ['dataset.ready'] })) id satisfies string
      const { type } = verifyWebhook({ 'webhook-id': 'evt_1' }, '{}', ['whsec_x'])
      export { codes, ProblemError, type }
      // @ts-expect-error: neither capture nor data
      await inkling.upload({ referenceNumber: 'R' })
      // @ts-expect-error: both
      await inkling.upload({ referenceNumber: 'R', capture: {}, data: '' })
      // @ts-expect-error: no such status
      inkling.datasets.list({ status: 'unknown' })
      // @ts-expect-error: no key
      new Inkling({ baseUrl: 'https://x.example' })`
    await writeFile(join(lender, 'consumer.ts'), code)
    const options = {
      ...{ module: 'nodenext', target: 'es2022', lib: ['es2023'], strict: true, noEmit: true },
      ...{ types: ['node'], typeRoots: [join(PROJECT, 'node_modules/@types')] },
    }
    const config = { compilerOptions: options, files: ['consumer.ts'] }
    await writeFile(join(lender, 'tsconfig.json'), JSON.stringify(config))
    expect(await paste(`'${join(PROJECT, 'node_modules/.bin/tsc')}' -p '${lender}'`, env)).toBe('')
  })
})

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
