import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { PROJECT } from '../../support/start-process.ts'
import { claimRedisUrl } from '../../support/stores.ts'

/** Returns what a process prints that runs this. */
async function print(code: string): Promise<string> {
  const script = `import { openLog } from ${JSON.stringify(join(PROJECT, 'db/runtime/log.ts'))}
    const log = openLog('info')
    ${code}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')])
  return printed
}

/** Lists the messages that a process logs that runs this. */
async function run(code: string): Promise<unknown[]> {
  const lines = (await print(code)).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line).msg)
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `${n}`)

test('lines are written in the order of the calls, also many in one turn of the event loop', async () => {
  const messages = await run('for (let n = 0; n < 5_000; n++) log.info(String(n))')
  expect(messages).toEqual(numbered(5_000))
})

test.each([
  ['exits at once', 'process.exit(1)'],
  ['throws', "process.on('uncaughtException', () => process.exit(1)); throw new Error('broken')"],
  ['has nothing more to do', ''],
])('no line is lost when the process %s', async (_, end) => {
  const messages = await run(`for (let n = 0; n < 100; n++) log.info(String(n)); ${end}`)
  expect(messages).toEqual(numbered(100))
})

test('a fatal entry is written even if the process is killed right after', async () => {
  const messages = await run("log.info('before'); log.fatal('fatal'); process.kill(process.pid, 'SIGKILL')")
  expect(messages).toEqual(['before', 'fatal'])
})

test('a line longer than a pipe accepts atomically is complete and in order', async () => {
  const messages = await run(
    "log.info('0'); log.info('é'.repeat(20_000)); log.info('1'); setTimeout(() => log.info('2'), 20)",
  )
  expect(messages).toEqual(['0', 'é'.repeat(20_000), '1', '2'])
})

test.each(['redis', 'redis+cluster'])(
  'a password that %s:// rejects is not logged with the error',
  async (scheme) => {
    const { host } = new URL(await claimRedisUrl())
    const printed = await print(
      `import { openRedis } from ${JSON.stringify(join(PROJECT, 'db/queue/open-redis.ts'))}
    const redis = openRedis({ url: '${scheme}://nobody:a-password@${host}' }, { failFast: true })
    redis.on('error', (err) => {
      log.warn({ err }, 'redis')
      process.exit()
    })`,
    )
    expect(printed).toContain('WRONGPASS')
    expect(printed).not.toContain('a-password')
  },
)
