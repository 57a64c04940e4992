import { Group, Modal, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { api, queries } from '../../client/api.ts'
import { AddFactorButtons } from '../../parts/add-factor-buttons.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorState } from '../../parts/error-state.tsx'
import { RecoveryCodes } from '../../parts/recovery-codes.tsx'
import { FactorRow } from './factor-row.tsx'
import styles from './own-sessions.module.css'

/** The user's second factors, with buttons to add, rename and remove them. */
export function OwnFactors() {
  const { data, error, isPending, refetch } = queries.useQuery('get', '/api/account/v1/factors')
  const [codes, setCodes] = useState<readonly string[]>()
  const reload = () => refetch()
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="factors-title">
      <Stack gap={4} mb="md">
        <Title order={2} id="factors-title">
          Second factors
        </Title>
        <Text size="sm" c="dimmed">
          With a second factor, your password alone does not sign anybody in. A passkey also signs you in
          without it.
          {data?.required && ' Your subscription requires one.'}
        </Text>
      </Stack>
      {error !== null ? (
        <ErrorState error={error} what="your second factors" retry={() => void refetch()} />
      ) : isPending ? (
        <Skeleton h={44} />
      ) : (
        <Stack>
          {data.items.length > 0 && (
            <ul className={styles.list}>
              {data.items.map((factor) => (
                <li key={factor.id} className={styles.session}>
                  <FactorRow factor={factor} onChanged={reload} />
                </li>
              ))}
            </ul>
          )}
          <AddFactorButtons passkeysAvailable={data.passkeysAvailable} onAdded={() => void refetch()} />
          {data.items.length > 0 && (
            <Group justify="space-between">
              <Text size="sm">
                {data.recoveryCodes === 1 ? '1 recovery code is' : `${data.recoveryCodes} recovery codes are`}{' '}
                left.
              </Text>
              <ConfirmButton
                size="xs"
                color="ink"
                title="Create new recovery codes?"
                question="The previous codes stop working."
                confirm="Create codes"
                act={async () => {
                  const created = await api.POST('/api/account/v1/recovery-codes')
                  setCodes(created.data?.recoveryCodes)
                  void refetch()
                }}
              >
                New recovery codes
              </ConfirmButton>
            </Group>
          )}
        </Stack>
      )}
      <Modal
        opened={codes !== undefined}
        onClose={() => setCodes(undefined)}
        title="Your recovery codes"
        centered
        closeOnClickOutside={false}
        closeOnEscape={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {codes && <RecoveryCodes codes={codes} done={() => setCodes(undefined)} />}
      </Modal>
    </Paper>
  )
}
