import { Anchor, Button, Grid, List, Paper, Text, Title } from '@mantine/core'
import { IconFlask } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { isTestMode, switchMode } from '../../client/mode.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { MakeForm } from './make-form.tsx'

/** Generates captures in test mode; outside of it, explains test mode and enters it. */
export function TestModePage() {
  const [made, setMade] = useState<readonly string[]>([])
  if (!isTestMode)
    return (
      <>
        <PageHeader title="Test mode" description="Made-up datasets, apart from your live ones" />
        <EmptyState
          icon={IconFlask}
          title="Build your integration without a phone"
          action={<Button onClick={() => switchMode('test', '/test')}>Enter test mode</Button>}
        >
          This tab then shows test data, until you leave test mode or close the tab. Test datasets are deleted
          after 7 days. Your systems reach them with test keys.
        </EmptyState>
      </>
    )
  return (
    <>
      <PageHeader title="Make captures" description="Each is stored as a dataset of the test mode" />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Paper withBorder p="lg">
            <MakeForm onMade={(numbers) => setMade((before) => [...numbers, ...before].slice(0, 100))} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper withBorder p="lg" role="status">
            <Title order={2} size="h4" mb="sm">
              Made in this tab
            </Title>
            {made.length === 0 && <Text size="sm">None yet</Text>}
            <List size="sm" spacing={4} style={{ overflowWrap: 'anywhere' }}>
              {made.map((referenceNumber) => (
                <List.Item key={referenceNumber}>
                  <Anchor
                    component={Link}
                    to={`/datasets/${encodeURIComponent(referenceNumber)}`}
                    size="sm"
                    underline="always"
                  >
                    {referenceNumber}
                  </Anchor>
                </List.Item>
              ))}
            </List>
          </Paper>
        </Grid.Col>
      </Grid>
    </>
  )
}
