import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Capture } from '../../../db/capture/capture.ts'
import { encodeCapture } from '../../../scripts/captures/encode-capture.ts'
import { upload } from '../client.ts'
import type { Portal } from './open-portal.ts'

/** Uploads a capture for the tenant of the stack. */
export async function sendCapture(
  { url, stack }: Portal,
  referenceNumber: string,
  capture: unknown,
  additionalInfo?: object,
): Promise<void> {
  const data = await encodeCapture(capture as Capture)
  const body = { referenceNumber, data, ...(additionalInfo && { additionalInfo }) }
  expect((await upload(url, stack.tenant.uploaderKey, body)).status).toBe(200)
}

/** Opens the page of a dataset, by default as the analyst of the stack's tenant. */
export const openDataset = (
  portal: Portal,
  referenceNumber: string,
  userEmail = portal.stack.tenant.userEmail,
): Promise<Page> => portal.openAs(userEmail, { at: `/datasets/${encodeURIComponent(referenceNumber)}` })

/** Finds a section of the page by its heading. */
export const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

/** Counts the reads of the insight of a dataset. */
export async function countReads({ stack }: Portal, referenceNumber: string): Promise<number> {
  const [row] = await stack.db('insight_requests').where({ reference_number: referenceNumber }).count()
  return Number(row?.count)
}
