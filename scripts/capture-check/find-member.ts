import type { Capture } from '../../db/capture/capture.ts'

/** The member at a path with dots, such as `device.bootedAt`; undefined if it is absent. */
export function findMember(capture: Capture, path: string): unknown {
  let value: unknown = capture
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
