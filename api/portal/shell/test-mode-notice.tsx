import { Alert, Button, Group } from '@mantine/core'
import { IconFlask } from '@tabler/icons-react'
import { Link } from 'react-router'
import { switchMode } from '../client/mode.ts'

/** Shown on all pages in test mode. */
export function TestModeNotice() {
  return (
    <Alert color="grape" variant="light" mb="md" icon={<IconFlask aria-hidden />} title="Test mode">
      Datasets, scorecards, webhooks, pipeline, privacy and audit log show test data. Users, keys and security
      are those of the subscription.
      <Group gap="sm" mt="sm">
        <Button component={Link} to="/test" size="xs" variant="default">
          Make captures
        </Button>
        <Button size="xs" variant="default" onClick={() => switchMode('live', '/datasets')}>
          Leave test mode
        </Button>
      </Group>
    </Alert>
  )
}
