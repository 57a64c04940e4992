import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api } from '../../client/api.ts'

/** What can be done with versions under a code; every page shows the change at once. */
export function useStageChanges(code: string) {
  const client = useQueryClient()
  const refresh = useCallback(
    () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [, path] }) => String(path).startsWith('/api/scorecards/'),
      }),
    [client],
  )
  const path = { code }
  return {
    refresh,
    async change(version: string, action: 'challenge' | 'promote' | 'retire') {
      await api.POST('/api/scorecards/v1/{code}/stage', { params: { path }, body: { version, action } })
      await refresh()
    },
    async rollBack() {
      await api.POST('/api/scorecards/v1/{code}/rollback', { params: { path } })
      await refresh()
    },
    async tryAgain(version: string, captures: number) {
      await api.POST('/api/scorecards/v1/{code}/trials', { params: { path }, body: { version, captures } })
      await refresh()
    },
  }
}
