import type { CaptureInput, Extracted } from './extractor.ts'
import { parseCategory } from './parse-text.ts'

/** The device's network connection. */
export function extractNetwork({
  capture,
}: CaptureInput): Extracted<'device_network_kind' | 'device_vpn' | 'device_sim_count'> {
  const network = capture.device?.network
  return {
    device_network_kind: parseCategory(network?.kind),
    device_vpn: network?.vpn ?? undefined,
    device_sim_count: network?.simCount ?? undefined,
  }
}
