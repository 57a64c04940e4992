import { AUDIT_ACTIONS, type AuditAction } from '../../db/audit/audit-actions.ts'
import type { RecentAction } from '../../db/audit/list-recent-actions.ts'
import { type Html, html } from '../http/html.ts'
import { presentNumber, presentTime } from './formats.ts'
import { table } from './layout.ts'

/** Renders recent actions. @param names of subscriptions by id; without them, all are of one subscription. */
export const presentActions = (actions: readonly RecentAction[], names?: ReadonlyMap<number, string>): Html =>
  table(
    'Recent actions',
    [
      { head: 'Time', cell: ({ at }) => presentTime(at) },
      ...(names
        ? [
            {
              head: 'Subscription',
              cell: ({ subscriptionId: id }: RecentAction) =>
                html`<a href="/ops/subscriptions/${id}">${names.get(id)}</a>`,
            },
          ]
        : []),
      { head: 'By', cell: ({ actor }) => actor },
      {
        head: 'Action',
        cell: ({ action, datasets, outcome }) =>
          `${AUDIT_ACTIONS[action as AuditAction] ?? action}${datasets === null ? '' : `: ${presentNumber(datasets)} datasets`}${outcome === 'success' ? '' : ` (${outcome})`}`,
      },
    ],
    actions,
  )
