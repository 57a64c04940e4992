import { Button, Code, Collapse, Group, ScrollArea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Section } from './section.tsx'

/** The insight as JSON. */
export function JsonSection({ value }: { value: unknown }) {
  const [opened, { toggle }] = useDisclosure(false)
  const text = JSON.stringify(value, undefined, 2)
  return (
    <Section
      title="Raw JSON"
      description="As returned by the insight API."
      aside={
        <Group gap="xs">
          <CopyButton value={text} what="JSON" />
          <Button size="xs" variant="default" onClick={toggle} aria-expanded={opened}>
            {opened ? 'Hide' : 'Show'}
          </Button>
        </Group>
      }
    >
      <Collapse expanded={opened}>
        <ScrollArea.Autosize
          mah="32rem"
          viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'JSON of the insight' }}
        >
          <Code block>{opened ? text : ''}</Code>
        </ScrollArea.Autosize>
      </Collapse>
    </Section>
  )
}
