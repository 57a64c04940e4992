import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { findFreePort } from '../../../scripts/servers/find-free-port.ts'
import { makeCertificate } from '../certificate.ts'
import { findProgram } from '../find-program.ts'
import { killWithThisProcess, PROJECT } from '../start-process.ts'

/** The program that `REDIS_SERVER` names, or those that are installed. */
export const SERVERS = process.env.REDIS_SERVER
  ? [process.env.REDIS_SERVER]
  : ['redis-server', 'valkey-server'].filter((name) => findProgram([name]))

/** The reason for skipping tests that need certificates; undefined where they can be made. */
export const withoutOpenssl = findProgram(['openssl'])
  ? undefined
  : 'openssl is not installed: apt-get install openssl'

/** Servers that encrypt all connections and know the users of deploy/redis/users.acl only, besides one of the test. */
export interface RedisNodes extends AsyncDisposable {
  /** PEM of the certificate that all servers have, which is its own authority. */
  readonly ca: string
  readonly passwords: { readonly inkling: string; readonly replica: string; readonly sentinel: string }
  /** Lines of a configuration that admit the user of `command`. */
  readonly admin: readonly string[]
  /** Starts a server on a free port. @param settings of its configuration, besides those of all. */
  start(settings: readonly string[], options?: { sentinel?: boolean }): Promise<RedisNode>
}

export interface RedisNode {
  readonly port: number
  /** Sends a command as a user who may do everything. @throws after 2 s. */
  command(name: string, ...parameters: (string | number)[]): Promise<unknown>
  /** Kills it; its data is lost. */
  kill(): Promise<void>
  /** Stops and continues it: meanwhile it answers nothing. */
  send(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Starts it again after `kill`, on the same port, without data. */
  restart(): Promise<void>
}

const ADMIN_PASSWORD = randomBytes(12).toString('hex')

const ADMIN = `user admin on >${ADMIN_PASSWORD} ~* &* +@all`

const makePassword = () => randomBytes(12).toString('hex')

/** Prepares certificate and users. @param program redis-server or valkey-server. */
export async function openRedisNodes(program = 'redis-server'): Promise<RedisNodes> {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-nodes-'))
  const { certificate, key, ca } = await makeCertificate(directory, 'IP:127.0.0.1', 2)
  const passwords = { inkling: makePassword(), replica: makePassword(), sentinel: makePassword() }
  const users = (await readFile(join(PROJECT, 'deploy/redis/users.acl'), 'utf8'))
    .replace('<REDIS_PASSWORD>', passwords.inkling)
    .replace('<REPLICA_PASSWORD>', passwords.replica)
    .replace('<SENTINEL_PASSWORD>', passwords.sentinel)
    .concat(`${ADMIN}\n`)
  await writeFile(join(directory, 'users.acl'), users)
  const running = new Set<RedisNode>()

  async function start(settings: readonly string[], { sentinel = false } = {}): Promise<RedisNode> {
    const port = await findFreePort()
    const home = join(directory, String(port))
    const file = join(home, 'redis.conf')
    await mkdir(home)
    const lines = [
      ...['bind 127.0.0.1', 'port 0', `tls-port ${port}`, 'tls-replication yes', 'tls-auth-clients no'],
      ...[`tls-cert-file ${certificate}`, `tls-key-file ${key}`, `tls-ca-cert-file ${certificate}`],
      ...[`dir ${home}`, `logfile ${join(home, 'log')}`],
      ...(sentinel
        ? []
        : [`aclfile ${join(directory, 'users.acl')}`, 'save ""', 'maxmemory-policy noeviction']),
      ...(sentinel
        ? []
        : ['masteruser replica', `masterauth ${passwords.replica}`, 'repl-diskless-sync-delay 0']),
      ...settings,
    ]
    await writeFile(file, lines.join('\n'))
    const run = () => {
      const child = spawn(program, [file, ...(sentinel ? ['--sentinel'] : [])], { cwd: '/', stdio: 'ignore' })
      killWithThisProcess(child)
      return child
    }
    let child = run()
    let client: Promise<Redis> | undefined
    /** Connects once, and again after the connection ended. */
    const connect = () => {
      client ??= openClient(port, ca, () => {
        client = undefined
      })
      return client
    }
    const node: RedisNode = {
      port,
      command: async (name, ...parameters) => (await connect()).call(name, ...parameters),
      async kill() {
        running.delete(node)
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill('SIGKILL')
        await once(child, 'exit')
      },
      send: (signal) => void child.kill(signal),
      async restart() {
        child = run()
        await untilUp()
      },
    }
    const untilUp = async () => {
      running.add(node)
      const started = () => node.command('ping').then(() => true)
      await eventually(10_000, started, `${program} does not start`).catch(async (cause) => {
        throw new Error(await readFile(join(home, 'log'), 'utf8'), { cause })
      })
    }
    await untilUp()
    return node
  }

  return {
    ca,
    passwords,
    admin: [ADMIN],
    start,
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((node) => node.kill()))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function openClient(port: number, ca: string, onEnd: () => void): Promise<Redis> {
  const client = new Redis({
    ...{
      host: '127.0.0.1',
      port,
      tls: { ca },
      username: 'admin',
      password: ADMIN_PASSWORD,
      lazyConnect: true,
    },
    ...{ commandTimeout: 2_000, maxRetriesPerRequest: 0, retryStrategy: () => null },
  })
  client.on('error', () => undefined).on('end', onEnd)
  await client.connect()
  return client
}

/** Resolves when the check returns true; its errors count as false. @throws after `ms`. */
export async function eventually(ms: number, check: () => Promise<boolean>, failure: string): Promise<void> {
  for (const deadline = performance.now() + ms; !(await check().catch(() => false)); await delay(50))
    if (performance.now() > deadline) throw new Error(`${failure} after ${ms} ms`)
}
