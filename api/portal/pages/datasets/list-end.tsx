import { Button, Center, Group, Loader, Stack, Text } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { useEffect } from 'react'
import { TimeText } from '../../parts/time-text.tsx'
import type { DatasetList } from './dataset-query.ts'

/** The end of the list: goes on when it comes into view, says how far it has searched, and can be stopped. */
export function ListEnd({
  isSearching,
  hasMore,
  isDense,
  through,
  isByTime,
  more,
  stop,
}: {
  isSearching: boolean
  hasMore: boolean
  /** Whether what comes next is soon found. */
  isDense: boolean
  through: DatasetList['searchedThrough']
  /** Whether the newest come first: else no time says how far it is. */
  isByTime: boolean
  more: () => void
  stop: () => void
}) {
  const { ref, entry } = useIntersection({ rootMargin: '200px' })
  const isSeen = entry?.isIntersecting === true
  // a search for what is rare is continued by hand
  useEffect(() => {
    if (isSeen && hasMore && !isSearching && isDense) more()
  }, [isSeen, hasMore, isSearching, isDense, more])

  const far = through && isByTime && (
    <>
      Searched back to <TimeText at={through.uploadedAt} />
    </>
  )
  return (
    <Center ref={ref} mt="md" mih={36}>
      {isSearching ? (
        <Group gap="sm" role="status">
          <Loader size="xs" aria-hidden />
          <Text size="sm" c="dimmed" component="div">
            {far || 'Searching'}
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
                {far || 'There is more to search'}
              </Text>
            )}
            <Button variant="default" onClick={more}>
              {isDense ? 'Load more' : 'Search further'}
            </Button>
          </Stack>
        )
      )}
    </Center>
  )
}
