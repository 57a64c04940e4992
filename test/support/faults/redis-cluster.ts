import { findFreePort } from '../../../scripts/servers/find-free-port.ts'
import { eventually, openRedisNodes, type RedisNode, type RedisNodes } from './redis-nodes.ts'

/** A Redis Cluster of three masters with a replica each, which encrypts and has users. */
export interface RedisCluster extends AsyncDisposable {
  /** `REDIS_URL` and `REDIS_CA` for it. */
  readonly env: { readonly REDIS_URL: string; readonly REDIS_CA: string }
  readonly nodes: readonly RedisNode[]
  /** Returns the node that serves a key. */
  findMaster(key: string): Promise<RedisNode>
  /** Resolves when the other nodes have replaced this one, and serve all slots. */
  untilReplaced(node: RedisNode): Promise<void>
  /** Resolves when all nodes are up, and each master has its replica. */
  untilComplete(): Promise<void>
}

const SLOTS = 16_384
const MASTERS = 3

/** Time after which the other nodes count a silent one as failed; in production it is 15 s. */
const NODE_TIMEOUT_MS = 2_000

/** Starts a cluster. @param program redis-server or valkey-server. */
export async function startRedisCluster(program?: string): Promise<RedisCluster> {
  const servers = await openRedisNodes(program)
  try {
    return await formCluster(servers)
  } catch (error) {
    await servers[Symbol.asyncDispose]()
    throw error
  }
}

async function formCluster(servers: RedisNodes): Promise<RedisCluster> {
  const settings = [
    ...['cluster-enabled yes', 'cluster-config-file nodes.conf', 'tls-cluster yes'],
    ...[`cluster-node-timeout ${NODE_TIMEOUT_MS}`, 'cluster-allow-replica-migration no'],
  ]
  // the default, 10,000 above the port for clients, may be in use
  const busPorts = await Promise.all(Array.from({ length: 2 * MASTERS }, () => findFreePort()))
  const nodes = await Promise.all(
    busPorts.map((port) => servers.start([...settings, `cluster-port ${port}`])),
  )
  const ids = await Promise.all(nodes.map((node) => node.command('cluster', 'myid')))
  const masters = nodes.slice(0, MASTERS)
  for (const [index, node] of nodes.entries()) {
    await node.command('cluster', 'set-config-epoch', index + 1)
    if (index > 0) await nodes[0]?.command('cluster', 'meet', '127.0.0.1', node.port, String(busPorts[index]))
  }
  for (const [index, node] of masters.entries()) {
    const [first, end] = [index, index + 1].map((n) => Math.floor((n * SLOTS) / MASTERS)) as [number, number]
    await node.command('cluster', 'addslotsrange', first, end - 1)
  }
  for (const [index, node] of nodes.slice(MASTERS).entries())
    await eventually(
      10_000,
      async () => (await node.command('cluster', 'replicate', String(ids[index]))) === 'OK',
      'A replica does not know its master',
    )

  /** Whether a node knows masters for all slots, none of them this one. */
  async function servesAll(node: RedisNode, without?: RedisNode): Promise<boolean> {
    const info = String(await node.command('cluster', 'info'))
    const ranges = await listRanges(node)
    return info.includes('cluster_state:ok') && ranges.every(([, , [, port]]) => port !== without?.port)
  }
  async function hasReplicas(node: RedisNode): Promise<boolean> {
    const ranges = await listRanges(node)
    const link = String(await node.command('info', 'replication'))
    return ranges.every(({ length }) => length === 4) && !link.includes('master_link_status:down')
  }
  const untilAll = (nodes: readonly RedisNode[], check: (node: RedisNode) => Promise<boolean>) =>
    eventually(
      30_000,
      async () => (await Promise.all(nodes.map((node) => check(node)))).every(Boolean),
      'The cluster does not serve all slots',
    )
  const untilComplete = () => untilAll(nodes, async (node) => (await servesAll(node)) && hasReplicas(node))
  await untilComplete()

  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    nodes,
    env: {
      REDIS_URL: `rediss+cluster://inkling:${servers.passwords.inkling}@${hosts}`,
      REDIS_CA: servers.ca,
    },
    untilReplaced: (lost) =>
      untilAll(
        nodes.filter((node) => node !== lost),
        (node) => servesAll(node, lost),
      ),
    untilComplete,
    async findMaster(key) {
      for (const node of nodes) {
        const slot = Number(await node.command('cluster', 'keyslot', key).catch(() => Number.NaN))
        const ranges = await listRanges(node).catch(() => [])
        const range = ranges.find(([from, to]) => from <= slot && slot <= to)
        const master = nodes.find(({ port }) => port === range?.[2][1])
        if (master) return master
      }
      throw new Error(`No node serves ${key}`)
    },
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  }
}

/** Slots from and to, their master, and its replicas. */
type Range = readonly [number, number, readonly [host: string, port: number], ...unknown[]]

const listRanges = async (node: RedisNode) => (await node.command('cluster', 'slots')) as Range[]
