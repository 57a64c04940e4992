import { ShownOnce } from '../../parts/shown-once.tsx'

/** The new secret of a webhook. */
export const WebhookSecret = ({ value }: { value: string }) => (
  <ShownOnce value={value} what="secret" label="Secret of the webhook">
    It is not shown again. The receiver verifies signatures with it.
  </ShownOnce>
)
