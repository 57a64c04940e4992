import { Anchor, Grid, List, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CommandBlock } from '../../parts/command-block.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { infoCommand, insightCommand, uploadCommand } from './commands.ts'
import { KeyStep } from './key-step.tsx'
import { StartTabs } from './start-tabs.tsx'
import { Step } from './step.tsx'
import { UploadWatch } from './upload-watch.tsx'
import { useSample } from './use-sample.ts'

/** Address of the API: the origin of this page. */
const baseUrl = location.origin

export function StartPage() {
  const sample = useSample()
  const [keys, setKeys] = useState<{ uploader?: string; requester?: string }>({})
  const { referenceNumber, data } = sample
  return (
    <>
      <StartTabs />
      <PageHeader
        title="Get started"
        description={
          <>
            Get a score in three steps, in a terminal with <code>curl</code>. Your service is at{' '}
            <b>{baseUrl}</b>.
          </>
        }
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }}>
          <UploadWatch from="backend" />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
          <Stack gap="lg" component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
            <Step number={1} title="Get keys">
              <Text size="sm">
                Your backend uploads with an uploader key and reads insights with a requester key. The roles
                are separate, so that a system that uploads cannot read.
              </Text>
              <KeyStep keys={keys} setKeys={setKeys} />
            </Step>
            <Step number={2} title="Upload a dataset">
              <Text size="sm">
                This sample is a new capture of a synthetic phone, encoded as by the SDK (base64 of gzip of
                JSON). Status 200 means that it is stored durably; sending it again does not create a second
                dataset.
              </Text>
              {data === undefined ? (
                <Skeleton height={180} />
              ) : (
                <CommandBlock title="Upload" command={uploadCommand(baseUrl, { referenceNumber, data })} />
              )}
              <Text size="sm">
                Add the client, so that devices per client and clients per device are counted. Saved values
                cannot be changed; new members can be added at any time.
              </Text>
              <CommandBlock title="Additional Info" command={infoCommand(baseUrl, referenceNumber)} />
            </Step>
            <Step number={3} title="Read the insight">
              <Text size="sm">
                Returns scores with their probability of default, and fragments such as device and
                permissions. A waiting dataset is processed first.
              </Text>
              <CommandBlock title="Insight" command={insightCommand(baseUrl, referenceNumber)} />
              <List size="sm" spacing={4}>
                <List.Item>
                  <Anchor href="/docs" size="sm" underline="always">
                    API reference
                  </Anchor>
                </List.Item>
                <List.Item>
                  <Anchor href="/schemas/capture-1.json" size="sm" underline="always">
                    Capture format
                  </Anchor>
                  , for your own SDK
                </List.Item>
              </List>
            </Step>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}
