import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { findFreePort } from '../../scripts/servers/find-free-port.ts'
import type { ObjectServer } from './object-server.ts'

const run = promisify(execFile)

/** What an account of Swift's own authentication is in the API of S3: `account:user` and its key. */
const USER = { account: 'INKLING', name: 'test', key: 'a-key-of-tests' }
export const SWIFT_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: `${USER.account}:${USER.name}`,
  AWS_SECRET_ACCESS_KEY: USER.key,
}

const LAYERS = ['account', 'container', 'object'] as const

/**
 * Starts OpenStack Swift with its API of S3, on one device with one replica, and an empty bucket.
 * `kill` and `start` are about its proxy, which answers clients. Needs Debian's packages swift-proxy, swift-account,
 * swift-container, swift-object and memcached.
 */
export async function startSwift(bucket = 'captures'): Promise<ObjectServer> {
  const directory = await mkdtemp(join(tmpdir(), 'swift-'))
  const ports = await Promise.all([...LAYERS, 'proxy', 'cache'].map(() => findFreePort()))
  const [, , , port = 0, cachePort = 0] = ports
  await mkdir(join(directory, 'devices/one'), { recursive: true })
  await Promise.all([
    writeFile(join(directory, 'swift.conf'), SWIFT_CONF),
    writeFile(join(directory, 'proxy.conf'), proxyConf(directory, port, cachePort)),
    ...LAYERS.map((layer, at) => makeLayer(directory, layer, ports[at] ?? 0)),
  ])

  const background = [
    spawn('memcached', ['-l', '127.0.0.1', '-p', `${cachePort}`, '-u', 'nobody'], { stdio: 'ignore' }),
    ...LAYERS.map((layer) => startServer(directory, layer)),
  ]
  let proxy: ChildProcess | undefined
  async function start(): Promise<void> {
    proxy = startServer(directory, 'proxy')
    await untilListening(port)
  }
  async function kill(): Promise<void> {
    if (proxy) await killServer(proxy)
    proxy = undefined
  }

  await Promise.all([start(), ...ports.map(untilListening)])
  const endpoint = `http://127.0.0.1:${port}`
  await makeBucket(endpoint, bucket)
  return {
    ...{ endpoint, bucket, kill, start },
    async close() {
      await Promise.all([kill(), ...background.map(killServer)])
      await rm(directory, { recursive: true })
    },
  }
}

const SWIFT_CONF = `
[swift-hash]
swift_hash_path_suffix = tests
[storage-policy:0]
name = one
default = yes
`

const common = (directory: string, port: number) => `
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
swift_dir = ${directory}
devices = ${directory}/devices
mount_check = false
workers = 0
user = root
`

const proxyConf = (directory: string, port: number, cachePort: number) => `${common(directory, port)}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_${USER.account}_${USER.name} = ${USER.key} .admin
`

const layerConf = (directory: string, layer: string, port: number) => `${common(directory, port)}
[pipeline:main]
pipeline = ${layer}-server
[app:${layer}-server]
use = egg:swift#${layer}
`

/** Writes the configuration and the ring of one kind of server. */
async function makeLayer(directory: string, layer: string, port: number): Promise<void> {
  await writeFile(join(directory, `${layer}.conf`), layerConf(directory, layer, port))
  const builder = join(directory, `${layer}.builder`)
  await run('swift-ring-builder', [builder, 'create', '4', '1', '0'])
  await run('swift-ring-builder', [builder, 'add', `r1z1-127.0.0.1:${port}/one`, '1'])
  await run('swift-ring-builder', [builder, 'rebalance'])
}

const startServer = (directory: string, name: string) =>
  spawn(`swift-${name}-server`, [join(directory, `${name}.conf`)], { stdio: 'ignore' })

async function killServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}

async function untilListening(port: number): Promise<void> {
  while (!(await isListening(port))) await setTimeout(100)
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy()
        resolve(true)
      })
  })

async function makeBucket(endpoint: string, bucket: string): Promise<void> {
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: {
      accessKeyId: SWIFT_CREDENTIALS.AWS_ACCESS_KEY_ID,
      secretAccessKey: SWIFT_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
    },
  })
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
  } finally {
    client.destroy()
  }
}
