import type { Finding } from '../../db/checks/finding.ts'
import { listWrappedSamples } from '../../db/encryption/data-keys.ts'
import { openVault } from '../../db/encryption/vault.ts'
import { wrappingKeysOf } from '../../db/encryption/wrapping-keys.ts'
import type { Check } from './check.ts'

/** Checks that the keys of the environment decrypt what is stored. */
export const checkEncryptionKeys: Check = {
  name: 'encryption keys',
  async run({ tables, variables }) {
    const db = await tables()
    const keys = wrappingKeysOf(variables.DATA_ENCRYPTION_KEYS)
    const [faults, samples] = await Promise.all([openVault(db, keys).listFaults(), listWrappedSamples(db)])
    const findings: Finding[] = faults.map((message) => ({
      level: 'error',
      message: `${message}: its captures, addresses and Additional Info cannot be read`,
      remedy: 'Put the key back into DATA_ENCRYPTION_KEYS, from the copy that is kept apart from the backups',
    }))
    const [first] = keys
    if (!first && samples.length === 0)
      findings.push({
        level: 'warning',
        message:
          'DATA_ENCRYPTION_KEYS is not set, or invalid: captures and personal data are stored without encryption',
        remedy:
          'Set it to a value of scripts/admin data-key create, for web and worker, and keep a copy elsewhere',
      })
    if (first && faults.length === 0 && samples.some(({ wrappedBy }) => wrappedBy !== first.kid))
      findings.push({
        level: 'note',
        message: `Not all data keys are wrapped by the first key of DATA_ENCRYPTION_KEYS, ${first.kid}`,
        remedy: 'Run scripts/admin data-key rotate before an older key is removed',
      })
    return { saw: `${keys.length} in DATA_ENCRYPTION_KEYS; ${samples.length} wrap stored keys`, findings }
  },
}
