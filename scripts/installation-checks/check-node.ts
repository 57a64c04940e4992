import { availableParallelism, totalmem } from 'node:os'
import { presentBytes } from '../../api/ops/formats.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { Check } from './check.ts'

/** As npm reads it, `>=` and the major version. */
const OLDEST_MAJOR = Number(manifest.engines.node.replace('>=', ''))

/** Checks the version of Node. */
export const checkNode: Check = {
  name: 'node',
  async run() {
    const { node } = process.versions
    const saw = `${node}, ${availableParallelism()} cores, ${presentBytes(totalmem())} of memory`
    if (Number.parseInt(node, 10) >= OLDEST_MAJOR) return { saw, findings: [] }
    const message = `Node ${node} is older than ${OLDEST_MAJOR}, the oldest version that this one is tested with`
    const remedy = `Install Node ${OLDEST_MAJOR} or newer: https://nodejs.org`
    return { saw, findings: [{ level: 'error', message, remedy }] }
  },
}
