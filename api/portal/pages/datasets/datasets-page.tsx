import { IconDatabase } from '@tabler/icons-react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHeader } from '../../parts/page-header.tsx'

export function DatasetsPage() {
  return (
    <>
      <PageHeader title="Datasets" description="What was uploaded, and what became of it." />
      <EmptyState icon={IconDatabase} title="No datasets yet" />
    </>
  )
}
