import { Alert } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { IconWifiOff } from '@tabler/icons-react'

/** Shown while the browser is offline; queries reload by themselves afterwards. */
export function OfflineNotice() {
  const { online } = useNetwork()
  return (
    <div role="status">
      {!online && (
        <Alert
          color="orange"
          variant="light"
          mb="md"
          icon={<IconWifiOff aria-hidden />}
          title="You're offline"
        >
          Data may be out of date. The page reloads its data when you're online again.
        </Alert>
      )}
    </div>
  )
}
