import { Anchor, Grid, List, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { CommandBlock } from '../../parts/command-block.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { infoCommand, insightCommand, uploadCommand } from './commands.ts'
import { KeyStep } from './key-step.tsx'
import { UploadWatch } from './upload-watch.tsx'
import { useSample } from './use-sample.ts'

/** Where the API is: where this page came from. */
const baseUrl = location.origin

export function StartPage() {
  const sample = useSample()
  const [keys, setKeys] = useState<{ uploader?: string; requester?: string }>({})
  const { referenceNumber, data } = sample
  return (
    <>
      <PageHeader
        title="Get started"
        description={
          <>
            From nothing to a score in three steps, in a terminal that has <code>curl</code>. Your service is
            at <b>{baseUrl}</b>.
          </>
        }
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }}>
          <UploadWatch />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
          <Stack gap="lg" component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
            <Step number={1} title="Get keys">
              <Text size="sm">
                Your backend uploads with a key of the role uploader, and reads insights with one of the role
                requester. They work apart, so that a system that uploads cannot read.
              </Text>
              <KeyStep keys={keys} setKeys={setKeys} />
            </Step>
            <Step number={2} title="Upload a dataset">
              <Text size="sm">
                This sample was made for you just now: a capture of a phone that nobody has, as the SDK
                encodes it (base64 of gzip of JSON). 200 means that it is stored for good; sent again, it is
                still one dataset.
              </Text>
              {data === undefined ? (
                <Skeleton height={180} />
              ) : (
                <CommandBlock title="Upload" command={uploadCommand(baseUrl, { referenceNumber, data })} />
              )}
              <Text size="sm">
                Tell who the client is, so that devices per client and clients per device are counted. A saved
                value stays as it is; new names can be added at any time.
              </Text>
              <CommandBlock title="Additional Info" command={infoCommand(baseUrl, referenceNumber)} />
            </Step>
            <Step number={3} title="Read the insight">
              <Text size="sm">
                Scores with their probability of default, and fragments such as device and permissions. A
                dataset that still waits is processed first.
              </Text>
              <CommandBlock title="Insight" command={insightCommand(baseUrl, referenceNumber)} />
              <List size="sm" spacing={4}>
                <List.Item>
                  <Anchor href="/docs" size="sm" underline="always">
                    Every route, with all its answers
                  </Anchor>
                </List.Item>
                <List.Item>
                  <Anchor href="/schemas/capture-1.json" size="sm" underline="always">
                    The format of captures
                  </Anchor>
                  , for an SDK of your own
                </List.Item>
              </List>
            </Step>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="li">
      <Stack>
        <Title order={2}>
          {number}. {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  )
}
