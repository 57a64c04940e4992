import type { CaptureInput, Extracted } from './extractor.ts'
import { share } from './statistics.ts'

export function extractContacts({
  capture: { contacts },
}: CaptureInput): Extracted<'contacts_count' | 'contacts_email_share'> {
  return {
    contacts_count: contacts?.count,
    contacts_email_share: share(contacts?.withEmail, contacts?.count),
  }
}
