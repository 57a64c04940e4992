import { Grid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CommandBlock } from '../../parts/command-block.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import type { SiteKey } from '../site-keys/site-key-types.ts'
import {
  backendCommand,
  CONSENT_SNIPPET,
  completeSnippet,
  NO_KEY,
  policySnippet,
  startSnippet,
} from './page-snippets.ts'
import { SiteKeyStep } from './site-key-step.tsx'
import { StartTabs } from './start-tabs.tsx'
import { Step } from './step.tsx'
import { UploadWatch } from './upload-watch.tsx'

/** Address of the SDK and of the endpoint: the origin of this page. */
const baseUrl = location.origin

export function BrowserStartPage() {
  const [siteKey, setSiteKey] = useState<SiteKey>()
  const key = siteKey ?? NO_KEY
  const backend = backendCommand(baseUrl, key)
  return (
    <>
      <StartTabs />
      <PageHeader
        title="Get started with browsers"
        description="Collect captures on your own pages with the SDK. It never reads what is typed, only how."
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }}>
          <UploadWatch from="browser" />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
          <Stack gap="lg" component="ol" p={0} m={0} style={{ listStyle: 'none' }}>
            <Step number={1} title="Choose a site key">
              <Text size="sm">
                A site key names the origins of the pages that may use it. It is public, because the pages
                contain it.
              </Text>
              <SiteKeyStep chosen={siteKey} choose={setSiteKey} />
            </Step>
            <Step number={2} title="Add the SDK to your page">
              <CommandBlock title="Start" command={startSnippet(baseUrl, key)} />
              <Text size="sm">
                With <code>consent: 'pending'</code> the SDK reads, listens and stores nothing until the
                person agrees. Use <code>'granted'</code> only if they agreed before.
              </Text>
              <CommandBlock title="Consent" command={CONSENT_SNIPPET} />
              <Text size="sm">
                If your page has a Content Security Policy, add these sources to it. Inline scripts need a
                nonce there; otherwise move the start call to a file.
              </Text>
              <CommandBlock title="Content Security Policy" command={policySnippet(baseUrl)} />
            </Step>
            <Step number={3} title="Complete the capture">
              <Text size="sm">
                Call this when the form is submitted. It resolves when the capture is stored durably.
              </Text>
              <CommandBlock title="Complete" command={completeSnippet(key)} />
              {backend && (
                <>
                  <Text size="sm">{backend.text}</Text>
                  <CommandBlock title={backend.title} command={backend.command} />
                </>
              )}
            </Step>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}
