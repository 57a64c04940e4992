import { readText } from '../deploy/files.ts'
import { eventually, openRedisNodes, type RedisNode, type RedisNodes } from './redis-nodes.ts'

/** A Redis with a replica, watched by three sentinels; all of them encrypt and have users. */
export interface RedisSentinels extends AsyncDisposable {
  /** `REDIS_URL` and `REDIS_CA` for it. */
  readonly env: { readonly REDIS_URL: string; readonly REDIS_CA: string }
  readonly servers: readonly RedisNode[]
  readonly sentinels: readonly RedisNode[]
  /** Returns the server that the sentinels name. */
  findMaster(): Promise<RedisNode>
  /** Resolves when the sentinels name another server than this one. */
  untilReplaced(master: RedisNode): Promise<void>
  /** Resolves when both servers are up, and the sentinels can replace the first by the second. */
  untilComplete(): Promise<void>
}

const NAME = 'queue'

/** Time after which sentinels count a silent server as failed; in production it is 30 s. */
const DOWN_MS = 1_000

/** Starts them. @param program redis-server or valkey-server. */
export async function startRedisSentinels(program?: string): Promise<RedisSentinels> {
  const nodes = await openRedisNodes(program)
  try {
    return await watch(nodes)
  } catch (error) {
    await nodes[Symbol.asyncDispose]()
    throw error
  }
}

/** The user of web and worker at the sentinels, as docs/operations/redis.md has it. */
function userOfSentinels(): string {
  const [line] = /^user inkling on >PASSWORD .*$/m.exec(readText('docs/operations/redis.md')) ?? []
  if (line === undefined) throw new Error('docs/operations/redis.md has no user of sentinels')
  return line
}

async function watch(nodes: RedisNodes): Promise<RedisSentinels> {
  const { inkling, sentinel } = nodes.passwords
  const first = await nodes.start([])
  const second = await nodes.start([`replicaof 127.0.0.1 ${first.port}`])
  const servers = [first, second]
  const settings = [
    `sentinel monitor ${NAME} 127.0.0.1 ${first.port} 2`,
    `sentinel auth-user ${NAME} sentinel`,
    `sentinel auth-pass ${NAME} ${sentinel}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_MS}`,
    `sentinel failover-timeout ${NAME} 6000`,
    'sentinel sentinel-user peer',
    `sentinel sentinel-pass ${sentinel}`,
    'user default off',
    `user peer on >${sentinel} allchannels -@all +auth +client|setname +hello +ping +publish +subscribe +sentinel +role`,
    userOfSentinels().replace('PASSWORD', inkling),
    ...nodes.admin,
  ]
  const sentinels = await Promise.all([1, 2, 3].map(() => nodes.start(settings, { sentinel: true })))

  async function findMaster(): Promise<RedisNode> {
    for (const one of sentinels) {
      const address = await one.command('sentinel', 'get-master-addr-by-name', NAME).catch(() => undefined)
      const port = Array.isArray(address) ? Number(address[1]) : undefined
      const master = servers.find((server) => server.port === port)
      if (master) return master
    }
    throw new Error('No sentinel names a server')
  }

  async function untilComplete(): Promise<void> {
    const usable = async (one: RedisNode) => {
      const master = await findMaster()
      const info = String(await master.command('info', 'replication'))
      const replicas = (await one.command('sentinel', 'replicas', NAME)) as string[][]
      return (
        String(await one.command('sentinel', 'ckquorum', NAME)).startsWith('OK 3') &&
        /state=online/.test(info) &&
        replicas.some((replica) => replica[replica.indexOf('flags') + 1] === 'slave')
      )
    }
    await eventually(
      30_000,
      async () => (await Promise.all(sentinels.map((one) => usable(one)))).every(Boolean),
      'The sentinels are not ready for a failover',
    )
  }
  await untilComplete()

  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    servers,
    sentinels,
    env: {
      REDIS_URL: `rediss+sentinel://inkling:${inkling}@${hosts}/${NAME}?sentinelUsername=inkling&sentinelPassword=${inkling}`,
      REDIS_CA: nodes.ca,
    },
    findMaster,
    untilReplaced: (master) =>
      eventually(20_000, async () => (await findMaster()) !== master, 'The sentinels do not replace Redis'),
    untilComplete,
    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  }
}
