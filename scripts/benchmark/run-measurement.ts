import { StartError } from '../cli/start-error.ts'
import { claimDirectory } from '../servers/claim-directory.ts'
import { type ProcessGroup, startProcessGroup } from '../servers/process-group.ts'
import { removeStores } from './open-stores.ts'

/**
 * Runs `measure` in a data directory, then removes its stores and exits.
 *
 * @param options.name of the script.
 * @param options.ownData the default directory, which an earlier version did not mark.
 */
export async function runMeasurement(
  { name, data, ownData }: { name: string; data: string; ownData: string },
  measure: (processes: ProcessGroup) => Promise<void>,
): Promise<never> {
  const processes = startProcessGroup()
  let claimed = false
  const exitCode = await processes.run(async () => {
    claimDirectory(data, name, () => data === ownData)
    claimed = true
    try {
      await measure(processes)
    } catch (error) {
      if (processes.signal.aborted || error instanceof StartError) throw error
      throw new StartError(`scripts/${name} failed: ${error instanceof Error ? error.stack : error}`)
    }
  })
  if (claimed) await removeStores(data)
  process.exit(exitCode)
}
