import { Button, Center } from '@mantine/core'

/** Loads the next page of a list. */
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
