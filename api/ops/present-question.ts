import type { ListedSubscription } from '../../db/accounts/subscriptions.ts'
import { html } from '../http/html.ts'
import { layOut } from './layout.ts'
import { OPS_ACTIONS, type OpsActionName } from './ops-actions.ts'

/** Renders the question before an action. @param sentences what will happen. */
export function presentQuestion(
  subscription: ListedSubscription,
  action: OpsActionName,
  { sentences, token, afterId }: { sentences: readonly string[]; token: string; afterId: number },
): string {
  const { label } = OPS_ACTIONS[action]
  const address = `/ops/subscriptions/${subscription.id}`
  return layOut({
    title: `${label}: ${subscription.name}?`,
    content: html`${sentences.map((sentence) => html`<p>${sentence}</p>`)}
<p class="note">It is recorded under your name in the audit log of the subscription. The question expires after 5 minutes.</p>
<form method="post" action="${address}/${action}">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="after" value="${afterId}">
<button type="submit">${label}</button>
<a href="${address}">Cancel</a>
</form>`,
  })
}
