import type { Queue } from 'bullmq'
import { Problem } from '../../../api/http/problem.ts'
import { type Db, sixDigits } from '../../../db/postgres/database.ts'
import type { DatasetJob } from './queue.ts'
import type { TextbookUpload } from './read-upload.ts'

/** Receives an upload: one insert, one job, one response. */
export async function receiveUpload(
  db: Db,
  queue: Queue<DatasetJob, void, 'dataset'>,
  subscriptionId: number,
  upload: TextbookUpload,
): Promise<{ referenceNumber: string; uploadDate: string }> {
  const { referenceNumber } = upload
  const uploadDate = db.raw(`${sixDigits('uploaded_at')} as upload_date`)
  const [received]: { id: string; upload_date: string }[] = await db('textbook.datasets')
    .insert({
      subscription_id: subscriptionId,
      reference_number: referenceNumber,
      data_hash: upload.dataHash,
      data: upload.blob,
      real_ip: upload.realIp ?? null,
      additional_info: JSON.stringify(upload.additionalInfo ?? {}),
    })
    .onConflict(['subscription_id', 'reference_number'])
    .ignore()
    .returning(['id', uploadDate])
  if (received) {
    await queue.add('dataset', { id: received.id })
    return { referenceNumber, uploadDate: received.upload_date }
  }
  const existing = await db('textbook.datasets')
    .where({ subscription_id: subscriptionId, reference_number: referenceNumber })
    .first('data_hash', uploadDate)
  if (!existing?.data_hash.equals(upload.dataHash)) throw new Problem('reference_number_taken')
  return { referenceNumber, uploadDate: existing.upload_date }
}
