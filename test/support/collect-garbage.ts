import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Frees what is no longer used, so that a measurement has only what is kept. */
export const collectGarbage: () => void = runInNewContext('gc')

/** Returns the bytes of this process that are in use. */
export function measureMemory(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
