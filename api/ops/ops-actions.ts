import { changeSuspension, type ListedSubscription } from '../../db/accounts/subscriptions.ts'
import type { Actor } from '../../db/audit/actor.ts'
import { measureSubscriptionBacklog } from '../../db/datasets/backlog.ts'
import { requeueInvalid } from '../../db/datasets/requeue-datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { LOWEST_PRIORITY } from '../datasets/upload-priority.ts'
import { enqueueOverdue, MAX_OVERDUE } from '../pipeline/enqueue-overdue.ts'
import { presentCount, presentNumber } from './formats.ts'
import { countInvalid } from './read-subscription.ts'

/** What an action did. */
export interface ActionResult {
  /** Subscriptions or datasets changed; 0 if it was done before. */
  readonly count: number
  /** Invalid datasets that cannot be processed again, since retention removed their data. */
  readonly withoutData?: number
  /** Id of the dataset after which the action continues; absent at the end. */
  readonly after?: number
}

interface Stores {
  readonly db: Db
  readonly producer: QueueProducer
}

/** Something that an operator can do to a subscription. Doing it twice has the effect of doing it once, and is recorded once. */
interface OpsAction {
  readonly label: string
  /** Returns sentences that say what will happen, and to how many. */
  ask(db: Db, subscription: ListedSubscription): Promise<readonly string[]>
  /** Does it and records it in the audit log of the subscription, in one transaction or, of many datasets, in one for each 5,000. */
  act(
    stores: Stores,
    subscriptionId: number,
    options: { actor: Actor; afterId: number },
  ): Promise<ActionResult>
  present(result: ActionResult): string
}

/** Time after which reprocessing stops between two pages of 5,000 datasets, so that the browser gets an answer. */
const REPROCESS_MS = 5_000

const suspension = (suspended: boolean) => ({
  async act({ db }: Stores, subscriptionId: number, { actor }: { actor: Actor }) {
    const changed = await changeSuspension(db, { subscriptionId, suspended, actor })
    return { count: changed ? 1 : 0 }
  },
})

export const OPS_ACTIONS = {
  suspend: {
    label: 'Suspend',
    ask: async (_db, { name, testOf }) => [
      `All API keys, site keys and sessions of ${name}${testOf === null ? ' and its test mode' : ''} are rejected within 5 s.`,
      'Nothing is deleted, and datasets that wait are still processed. Resume undoes it.',
    ],
    ...suspension(true),
    present: ({ count }) =>
      count === 0 ? 'It was suspended already.' : 'Suspended: its credentials are rejected within 5 s.',
  },
  resume: {
    label: 'Resume',
    ask: async (_db, { name, testOf }) => [
      `The credentials of ${name}${testOf === null ? ' and its test mode' : ''} are accepted again within 5 s.`,
      'Keys that have expired or were revoked stay rejected.',
    ],
    ...suspension(false),
    present: ({ count }) =>
      count === 0 ? 'It was not suspended.' : 'Resumed: its credentials are accepted within 5 s.',
  },
  retry: {
    label: 'Retry overdue datasets',
    async ask(db, { id, name }) {
      const { overdue, atLeast } = await measureSubscriptionBacklog(db, id)
      return [
        `Overdue datasets of ${name}, up to ${presentNumber(MAX_OVERDUE)} at once: ${presentCount(overdue, atLeast)}. They are enqueued again at once, or as soon as the queue is available.`,
        'Without this action they are enqueued again too, at intervals that grow up to 10 minutes. None is processed twice.',
      ]
    },
    async act(stores, subscriptionId, { actor }) {
      const { datasets } = await enqueueOverdue(stores, subscriptionId, actor)
      return { count: datasets }
    },
    present: ({ count }) =>
      `Overdue datasets: ${presentNumber(count)}, enqueued again at once or as soon as the queue is available.${count === MAX_OVERDUE ? ' There may be more: repeat it.' : ''}`,
  },
  reprocess: {
    label: 'Reprocess invalid datasets',
    async ask(db, { id, name }) {
      const { datasets, atLeast } = await countInvalid(db, id)
      return [
        `Invalid datasets of ${name}: ${presentCount(datasets, atLeast)}. They are processed again, after new uploads.`,
        'Do this once the cause is fixed: otherwise they become invalid again. Those whose data retention has removed are left out.',
      ]
    },
    async act({ db, producer }, subscriptionId, { actor, afterId }) {
      const until = performance.now() + REPROCESS_MS
      const total = { count: 0, withoutData: 0 }
      let next: number | null = afterId
      do {
        const page = await requeueInvalid(db, subscriptionId, {}, { afterId: next, actor })
        void producer.tryEnqueue(page.keys, { priority: LOWEST_PRIORITY })
        total.count += page.keys.length
        total.withoutData += page.withoutData
        next = page.afterId
      } while (next !== null && performance.now() < until)
      return { ...total, ...(next !== null && { after: next }) }
    },
    present: ({ count, withoutData = 0, after }) =>
      `Invalid datasets that are processed again: ${presentNumber(count)}.${
        withoutData === 0 ? '' : ` Without data: ${presentNumber(withoutData)}.`
      }${after === undefined ? '' : ' There are more.'}`,
  },
} as const satisfies Record<string, OpsAction>

export type OpsActionName = keyof typeof OPS_ACTIONS

export const OPS_ACTION_NAMES = Object.keys(OPS_ACTIONS) as OpsActionName[] // Object.keys returns string[]

/** Returns the actions that a subscription's page offers. */
export const possibleActions = ({ suspended, deleted }: ListedSubscription): OpsActionName[] =>
  deleted ? [] : [suspended ? 'resume' : 'suspend', 'retry', 'reprocess']
