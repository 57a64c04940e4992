import { spawnSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { StartError } from '../cli/start-error.ts'
import { findFreePort } from './find-free-port.ts'
import { lastLines } from './last-lines.ts'
import { pingRedis } from './ping-redis.ts'
import { startCommand } from './start-command.ts'
import type { ManagedProcess } from './start-supervisor.ts'

export interface RedisServer extends ManagedProcess {
  readonly url: string
}

/**
 * Starts the PATH's `redis-server`, or the program that `REDIS_SERVER` names, on the loopback address, without persistence: no
 * dataset is lost when Redis loses its data.
 *
 * @param options.directory contains its log unless `log` is given; created if missing.
 * @throws StartError if the program is not installed or does not start.
 */
export async function startRedis(options: {
  directory: string
  log?: string
  databases?: number
  signal?: AbortSignal
}): Promise<RedisServer> {
  const { directory, databases = 16, signal, log = join(directory, 'redis.log') } = options
  const program = process.env.REDIS_SERVER || 'redis-server'
  if (spawnSync(program, ['--version']).error)
    throw new StartError(
      `${program} is not on the PATH. Install it (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis), ` +
        'let REDIS_SERVER name another program, such as valkey-server, or give the address of a running server.',
    )

  await mkdir(directory, { recursive: true })
  const port = await findFreePort()
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: directory,
    databases: String(databases),
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction', // BullMQ's jobs must never be evicted
  }
  const server = await startCommand({
    name: 'Redis',
    command: program,
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    cwd: '/',
    env: process.env,
    log,
    graceMs: 5_000,
    signal,
  })

  const url = `redis://127.0.0.1:${port}`
  let ending: string | undefined
  void server.ended.then((words) => {
    ending = words
  })
  try {
    for (const deadline = Date.now() + 10_000; ; await setTimeout(20, undefined, { signal })) {
      const fault = ending ?? (await pingRedis(url))
      if (fault === undefined) return { ...server, url }
      if (ending !== undefined || Date.now() > deadline)
        throw new StartError(`Redis did not start: ${fault}.\n${lastLines(log)}`)
    }
  } catch (error) {
    await server.kill()
    throw error
  }
}
