import { setTimeout as delay } from 'node:timers/promises'
import { type HttpConnection, openHttpConnection } from '../benchmark/load/http-connection.ts'
import { openRequests } from '../benchmark/load/open-requests.ts'
import type { WriteRequests } from '../benchmark/load/written-request.ts'

/** Receivers of each upload. */
export interface Receiver {
  readonly port: number
  readonly uploaderKey: string
}

const TICK_MS = 20

/** Time for the last responses. */
const PATIENCE_MS = 10_000

/**
 * Sends each upload to each receiver when it arrives, until the day ends.
 *
 * @param file of upload bodies, which are repeated.
 * @throws Error if an upload is not answered by 200.
 */
export async function sendDay(
  receivers: readonly Receiver[],
  { arrivals, dayMs, file }: { arrivals: readonly number[]; dayMs: number; file: string },
  signal: AbortSignal,
): Promise<void> {
  const senders = receivers.map(({ port, uploaderKey }) =>
    openSender(port, openRequests({ kind: 'uploads', file, key: uploaderKey, prefix: 'day' })),
  )
  const startedAt = performance.now()
  let next = 0
  try {
    for (let now = 0; now < dayMs; now = performance.now() - startedAt) {
      for (; (arrivals[next] ?? dayMs) <= now; next++) for (const sender of senders) sender.send(next)
      for (const sender of senders) sender.throwIfFailed()
      await delay(TICK_MS, undefined, { signal })
    }
    for (
      const endsAt = performance.now() + PATIENCE_MS;
      senders.some((sender) => sender.countPending() > 0);
    ) {
      if (performance.now() > endsAt) throw new Error('Some uploads were not answered')
      await delay(TICK_MS, undefined, { signal })
    }
    for (const sender of senders) sender.throwIfFailed()
  } finally {
    for (const sender of senders) sender.close()
  }
}

/** Opens as many connections as are needed at once. */
function openSender(port: number, write: WriteRequests) {
  const connections: HttpConnection[] = []
  const free: HttpConnection[] = []
  let pending = 0
  let failure: unknown

  function connect(): HttpConnection {
    const connection = openHttpConnection(port)
    connections.push(connection)
    return connection
  }

  async function sendOne(n: number): Promise<void> {
    const connection = free.pop() ?? connect()
    for (const request of write(n)) {
      // the server may end an idle connection at the moment of its next use; an upload may be repeated
      const status = await connection.request(request).catch(() => connection.request(request))
      if (status !== 200) throw new Error(`An upload was answered by ${status}`)
    }
    free.push(connection)
  }

  return {
    send(n: number) {
      pending++
      void sendOne(n)
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => {
          pending--
        })
    },
    countPending: () => pending,
    throwIfFailed() {
      if (failure) throw failure
    },
    close() {
      for (const connection of connections) connection.close()
    },
  }
}
