import { checkDurability } from '../../db/checks/check-durability.ts'
import type { Check } from './check.ts'

/** Checks that an accepted upload survives a crash of Postgres. */
export const checkDurableCommits: Check = {
  name: 'durability',
  async run({ postgres, settings }) {
    await postgres()
    const read = await settings()
    const isOn = (setting: boolean) => (setting ? 'on' : 'off')
    const saw = `fsync ${isOn(read.fsync)}, synchronous_commit ${read.synchronousCommit}, full_page_writes ${isOn(read.fullPageWrites)}`
    return { saw, findings: checkDurability(read) }
  },
}
