import { Button, Center, Group, Loader, Stack, Text } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { useEffect } from 'react'
import { TimeText } from '../../parts/time-text.tsx'
import type { useDatasetList } from './use-dataset-list.ts'

/** The end of the list: loads more when scrolled into view, and shows the progress of a long search, which can be stopped. */
export function ListEnd({
  list: { isSearching, hasMore, isDense, searchedThrough, loadMore, stop },
  isNewestFirst,
}: {
  list: ReturnType<typeof useDatasetList>
  isNewestFirst: boolean
}) {
  const { ref, entry } = useIntersection({ rootMargin: '200px' })
  const isVisible = entry?.isIntersecting === true
  // a search with few matches is continued manually
  useEffect(() => {
    if (isVisible && hasMore && !isSearching && isDense) loadMore()
  }, [isVisible, hasMore, isSearching, isDense, loadMore])

  const progress = searchedThrough && isNewestFirst && (
    <>
      Searched back to <TimeText at={searchedThrough.uploadedAt} />
    </>
  )
  return (
    <Center ref={ref} mt="md" mih={36}>
      {isSearching ? (
        <Group gap="sm" role="status">
          <Loader size="xs" aria-hidden />
          <Text size="sm" c="dimmed" component="div">
            {progress || 'Searching'}
          </Text>
          <Button variant="subtle" size="compact-sm" onClick={stop}>
            Stop
          </Button>
        </Group>
      ) : (
        hasMore && (
          <Stack align="center" gap="xs">
            {!isDense && (
              <Text size="sm" c="dimmed" component="div">
                {progress || 'Search is not complete'}
              </Text>
            )}
            <Button variant="default" onClick={loadMore}>
              {isDense ? 'Load more' : 'Continue search'}
            </Button>
          </Stack>
        )
      )}
    </Center>
  )
}
