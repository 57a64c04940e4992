import { Alert } from '@mantine/core'
import { TimeText } from '../../parts/time-text.tsx'
import type { StagedVersion } from './scorecard-types.ts'

const CAUSES = {
  slow: 'scoring one dataset took more than 50 ms',
  died: 'worker processes ended while they scored with it',
} as const

/** Says that a version does not score, and why. */
export function SuspensionAlert({ since, because }: NonNullable<StagedVersion['suspended']>) {
  return (
    <Alert color="red" variant="light" mb="md" title="Suspended: datasets get no score from this version">
      Since <TimeText at={since} />, because {CAUSES[because]}. Upload a simpler version, or resume this one
      after the cause is removed.
    </Alert>
  )
}
