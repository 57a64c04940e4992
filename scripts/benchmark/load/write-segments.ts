import { gzipSync } from 'node:zlib'
import type { WriteRequests, WrittenRequest } from './written-request.ts'

/** Events of a segment: those of 5 s of typing and moving the pointer. */
const EVENTS = 100

/** Prepares the requests of browsers: request n is the next segment of collection n modulo their count. */
export function openSegments(collections: readonly string[]): WriteRequests {
  const bodies: Buffer[] = []
  return (n): WrittenRequest[] => {
    const number = Math.floor(n / collections.length)
    bodies[number] ??= gzipSync(JSON.stringify(aSegment(number)))
    const body = bodies[number] ?? Buffer.alloc(0)
    const head =
      `POST /c?c=${collections[n % collections.length]}&n=${number} HTTP/1.1\r\nHost: localhost\r\n` +
      `Origin: https://shop.example\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n`
    return [[head, body]]
  }
}

const aSegment = (n: number) => ({
  v: 1,
  n,
  at: 1_795_336_530_000 + n * 5_000,
  behaviour: { startedAt: '2026-11-22T08:15:25.000Z', durationMs: 5_000 * (n + 1) },
  events: Array.from({ length: EVENTS }, (_, at) =>
    at % 2 === 0
      ? {
          t: 5_000 * n + 50 * at + 0.3,
          type: 'pointer',
          phase: 'move',
          x: (at * 37) % 900,
          y: (at * 61) % 700,
        }
      : {
          t: 5_000 * n + 50 * at + 0.7,
          type: 'key',
          target: 'income',
          kind: 'digit',
          dwellMs: 60 + (at % 17),
          flightMs: 90,
        },
  ),
})
