import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../client/api.ts'

/** The changes of a code's versions; each refreshes all scorecard queries. */
export function useStageChanges(code: string) {
  const client = useQueryClient()
  const refresh = () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [, path] }) => String(path).startsWith('/api/scorecards/'),
    })
  const path = { code }
  return {
    async change(version: string, action: 'challenge' | 'promote' | 'retire' | 'resume') {
      await api.POST('/api/scorecards/v1/{code}/stage', { params: { path }, body: { version, action } })
      await refresh()
    },
    async rollBack() {
      await api.POST('/api/scorecards/v1/{code}/rollback', { params: { path } })
      await refresh()
    },
    async backtest(version: string, captures: number) {
      await api.POST('/api/scorecards/v1/{code}/trials', { params: { path }, body: { version, captures } })
      await refresh()
    },
  }
}
