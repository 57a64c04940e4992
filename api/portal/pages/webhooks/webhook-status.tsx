import { Badge, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconBan, IconCircleCheck } from '@tabler/icons-react'
import { WEBHOOK_REASON_LABELS, WEBHOOK_STATE_LABELS } from '../../parts/labels.ts'
import { TimeText } from '../../parts/time-text.tsx'
import type { Webhook } from './webhook-types.ts'

const LOOKS = {
  enabled: { color: 'teal', icon: IconCircleCheck },
  failing: { color: 'orange', icon: IconAlertTriangle },
  disabled: { color: 'gray', icon: IconBan },
} as const

/** The state of a webhook, and why it is so. */
export function WebhookStatus({
  webhook: { state, disabledReason, failingSince, nextAttemptAt, deliveredAt, isReplaying },
}: {
  webhook: Webhook
}) {
  const { color, icon: Icon } = LOOKS[state]
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant="light" color={color} tt="none" fw={600} leftSection={<Icon size={13} aria-hidden />}>
        {WEBHOOK_STATE_LABELS[state]}
      </Badge>
      <Text size="xs" c="inherit">
        {disabledReason !== null && WEBHOOK_REASON_LABELS[disabledReason]}
        {state === 'failing' && failingSince !== null && (
          <>
            Since <TimeText at={failingSince} since />
            {nextAttemptAt !== null && (
              <>
                ; next attempt at <TimeText at={nextAttemptAt} />
              </>
            )}
          </>
        )}
        {state === 'enabled' &&
          (deliveredAt === null ? (
            'Nothing delivered yet'
          ) : (
            <>
              Delivered <TimeText at={deliveredAt} since />
            </>
          ))}
        {isReplaying && ' · delivering again'}
      </Text>
    </Stack>
  )
}
