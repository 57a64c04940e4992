import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { KoaAdapter } from '@bull-board/koa'
import type { Queue } from 'bullmq'
import type { Middleware } from 'koa'
import type { QueueLocation } from '../../db/queue.ts'
import { openQueueView } from '../../db/queue-view.ts'
import { Problem } from '../http/problem.ts'

/** Where the board is. */
export const BOARD_PATH = '/ops'

/** Pages that show the queue. */
export interface Board {
  readonly show: Middleware
  close(): Promise<void>
}

/**
 * Opens bull-board on the queue, wherever that is: to look at only. Jobs hold references, never data; but who could pause the queue
 * there would stop the work for everybody, with no record of it.
 */
export function openBoard(location: QueueLocation, onError: (error: Error) => void): Board {
  const view = openQueueView(location, onError)
  let shown: { queue: Queue; show: Middleware } | undefined

  async function open(): Promise<Middleware> {
    const queue = await view.open().catch((cause) => {
      throw new Problem('unavailable', {
        cause,
        detail: `${storeOf(location)}, which holds the queue, is away`,
      })
    })
    if (shown?.queue !== queue) shown = { queue, show: boardOf(queue, location) }
    return shown.show
  }

  return {
    async show(ctx, next) {
      const show = await open()
      await show(ctx, next)
      // bull-board answers with the stack of what went wrong
      if (ctx.status >= 500)
        throw new Problem('internal_error', { cause: new Error('bull-board failed to read the queue') })
    },
    close: view.close,
  }
}

const storeOf = ({ redis }: QueueLocation) => (redis ? 'Redis' : 'Postgres')

function boardOf(queue: Queue, location: QueueLocation): Middleware {
  const serverAdapter = new KoaAdapter().setBasePath(BOARD_PATH)
  createBullBoard({
    queues: [
      new BullMQAdapter(queue, {
        readOnlyMode: true,
        description: `Groups of datasets, on ${storeOf(location)}. A job holds references only: the datasets are in Postgres`,
      }),
    ],
    serverAdapter,
    options: { uiConfig: { boardTitle: 'Inkling', hideRedisDetails: false } },
  })
  return serverAdapter.registerPlugin() as Middleware
}
