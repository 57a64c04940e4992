import { readFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) })

/** Describes the environment of a measurement: hardware, Node and package versions. */
export function describeMachine(root: string): { hardware: string; node: string; packages: string } {
  const { dependencies } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  const packages = ['koa', '@koa/router', 'bullmq', 'ioredis', 'knex', 'pg', 'zod', 'jose']
  return {
    hardware: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? arch()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()} ${arch()}`,
    node: `Node ${process.version}`,
    packages: packages.map((name) => `${name} ${dependencies[name]}`).join(', '),
  }
}
