import { Alert, Anchor, Code, List, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { DefinitionError } from './definition-errors.ts'

/** Shows a place in the text; undefined where the text is not shown. */
type GoTo = ((fault: DefinitionError) => void) | undefined

/** Everything that is wrong with a definition, each at its place. */
export function DefinitionErrorList({ faults, goTo }: { faults: readonly DefinitionError[]; goTo: GoTo }) {
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={faults.length === 1 ? 'One thing is wrong' : `${faults.length} things are wrong`}
      role="alert"
    >
      <List spacing="md" size="sm" listStyleType="none" withPadding={false}>
        {[...Map.groupBy(faults, ({ path }) => path)].map(([path, here]) => (
          <List.Item key={path} styles={{ itemWrapper: { display: 'block' } }}>
            {here.map(({ message }) => (
              <Text size="sm" fw={600} key={message}>
                {message}
              </Text>
            ))}
            <PlaceOf fault={here[0]} goTo={goTo} />
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

function PlaceOf({ fault, goTo }: { fault: DefinitionError | undefined; goTo: GoTo }) {
  if (!fault) return null
  const { path, place, line } = fault
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {place &&
          (goTo ? (
            <Anchor component="button" type="button" size="sm" onClick={() => goTo(fault)}>
              line {place.line}
            </Anchor>
          ) : (
            <>line {place.line}</>
          ))}
        {place && path !== '' && ', '}
        {path !== '' && <Code>{path}</Code>}
      </Text>
      {line !== undefined && (
        <Code block mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {line}
        </Code>
      )}
    </>
  )
}
