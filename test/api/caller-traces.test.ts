import { expect, test, vi } from 'vitest'
import { openCallerTraces } from '../../api/http/caller-traces.ts'

const traceparent = (flags: string) => `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`

test('callers decide what is recorded, so many times a second; beyond that their traces go on unrecorded', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const callerOf = openCallerTraces(2)
    const flags = () => callerOf(traceparent('01'))?.traceFlags
    expect([flags(), callerOf(traceparent('00'))?.traceFlags, flags(), flags(), flags()]).toEqual([
      1, 0, 1, 0, 0,
    ])
    vi.advanceTimersByTime(1_000)
    expect([flags(), flags(), flags()]).toEqual([1, 1, 0])
    expect(callerOf(undefined)).toBeUndefined()
    expect(callerOf(`${traceparent('01')}-${'x'.repeat(200)}`)).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})
