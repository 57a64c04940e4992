import { readFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) })

/** What the numbers depend on: the machine, and the versions of all that runs. */
export function describeMachine(root: string, stores: { postgres: string; redis: string }): string[] {
  const { dependencies } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const packages = ['koa', '@koa/router', 'bullmq', 'ioredis', 'knex', 'pg', 'zod', 'jose']
  return [
    `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? arch()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()} ${arch()}`,
    `Node ${process.version}, Postgres ${stores.postgres} (fsync and synchronous_commit on), Redis ${stores.redis} (appendonly yes)`,
    packages.map((name) => `${name} ${dependencies[name]}`).join(', '),
  ]
}
