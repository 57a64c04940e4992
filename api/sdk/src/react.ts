import { useEffect, useRef, useState } from 'react'
import type { Inkling, StartOptions } from './api.ts'
import { start } from './index.ts'

/**
 * Starts the SDK when the component is mounted, and stops it when it is unmounted. Later options are ignored; for another key,
 * token or reference number, give the component another `key`.
 *
 * @returns null until it is mounted, also on a server.
 */
export function useInkling(options: StartOptions): Inkling | null {
  const first = useRef(options)
  const [inkling, setInkling] = useState<Inkling | null>(null)
  useEffect(() => {
    const started = start(first.current)
    setInkling(started)
    return () => started.stop()
  }, [])
  return inkling
}
