import type { CaptureInput, Extracted } from './extractor.ts'
import { share } from './statistics.ts'

/** Permissions that the user granted. A permission counts as declared unless `declared` is false and it is not granted. */
export function extractPermissions({
  capture: { permissions },
}: CaptureInput): Extracted<'permissions_granted_share' | 'permissions_granted_count'> {
  const declared = permissions?.filter(({ granted, declared }) => granted || declared !== false)
  const granted = declared?.filter((permission) => permission.granted)
  return {
    permissions_granted_share: share(granted?.length, declared?.length),
    permissions_granted_count: granted?.length,
  }
}
