import { Button, Center, Group, Loader, Stack, Text } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { useEffect } from 'react'
import { TimeText } from '../../parts/time-text.tsx'
import type { DatasetList } from './dataset-types.ts'

/** The end of the list: goes on when it comes into view, says how far it has searched, and can be stopped. */
export function SearchEnd({
  isSearching,
  hasMore,
  found,
  through,
  isByTime,
  more,
  stop,
}: {
  isSearching: boolean
  hasMore: boolean
  found: number
  through: DatasetList['searchedThrough']
  /** Whether the newest come first: else no time says how far it is. */
  isByTime: boolean
  more: () => void
  stop: () => void
}) {
  const { ref, entry } = useIntersection({ rootMargin: '200px' })
  const isSeen = entry?.isIntersecting === true
  // by scrolling only where the last step found enough: a search for what is rare is continued by hand
  const isFull = found > 0 && found % 50 === 0
  useEffect(() => {
    if (isSeen && hasMore && !isSearching && isFull) more()
  }, [isSeen, hasMore, isSearching, isFull, more])

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
            {!isFull && (
              <Text size="sm" c="dimmed" component="div">
                {far || 'There is more to search'}
              </Text>
            )}
            <Button variant="default" onClick={more}>
              {isFull ? 'Load more' : 'Search further'}
            </Button>
          </Stack>
        )
      )}
    </Center>
  )
}
