import { Alert, Anchor, Code, List, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { pluralText } from '../../parts/formats.ts'
import type { DefinitionError } from './definition-errors.ts'

/** Shows the position of an error in the text; undefined if the text is not shown. */
type GoTo = ((error: DefinitionError) => void) | undefined

/** The errors of a definition by path, with their positions. */
export function DefinitionErrorList({ errors, goTo }: { errors: readonly DefinitionError[]; goTo: GoTo }) {
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={pluralText(errors.length, 'error')}
      role="alert"
    >
      <List spacing="md" size="sm" listStyleType="none" withPadding={false}>
        {[...Map.groupBy(errors, ({ path }) => path)].map(([path, group]) => (
          <List.Item key={path} styles={{ itemWrapper: { display: 'block' } }}>
            {group.map(({ message }) => (
              <Text size="sm" fw={600} key={message}>
                {message}
              </Text>
            ))}
            <ErrorPosition error={group[0]} goTo={goTo} />
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

function ErrorPosition({ error, goTo }: { error: DefinitionError | undefined; goTo: GoTo }) {
  if (!error) return null
  const { path, position, line } = error
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {position &&
          (goTo ? (
            <Anchor component="button" type="button" size="sm" onClick={() => goTo(error)}>
              line {position.line}
            </Anchor>
          ) : (
            <>line {position.line}</>
          ))}
        {position && path !== '' && ', '}
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
