import { CopyButton } from '../../parts/copy-button.tsx'
import { PLATFORM_LABELS } from '../../parts/labels.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { DeleteDataset } from './delete-dataset.tsx'
import type { Dataset } from './insight-types.ts'
import { ReprocessDataset } from './reprocess-dataset.tsx'

/** The reference number of the dataset, and its actions. */
export function DatasetHeader({ dataset, isAdmin }: { dataset: Dataset; isAdmin: boolean }) {
  const { referenceNumber, status, platform, uploadedAt } = dataset
  return (
    <PageHeader
      title={referenceNumber}
      description={
        <>
          {platform ? `${PLATFORM_LABELS[platform]} · uploaded` : 'Uploaded'} <TimeText at={uploadedAt} /> (
          <TimeText at={uploadedAt} since />)
        </>
      }
      beside={
        <>
          <CopyButton value={referenceNumber} what="reference number" />
          <StatusBadge status={status} size="lg" />
        </>
      }
      actions={
        isAdmin &&
        status !== 'deleted' && (
          <>
            {dataset.dataKept && <ReprocessDataset referenceNumber={referenceNumber} />}
            <DeleteDataset referenceNumber={referenceNumber} />
          </>
        )
      }
    />
  )
}
