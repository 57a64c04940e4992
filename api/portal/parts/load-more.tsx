import { Button, Center } from '@mantine/core'

/** At the end of a list that goes on. */
export function LoadMore({
  loading,
  load,
  label = 'Load more',
}: {
  loading: boolean
  load: () => void
  label?: string
}) {
  return (
    <Center mt="md">
      <Button variant="default" loading={loading} onClick={load}>
        {label}
      </Button>
    </Center>
  )
}
