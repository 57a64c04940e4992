import { presentBytes } from '../../api/ops/formats.ts'
import type { Finding } from '../../db/checks/finding.ts'
import { listReplicationSlots, type ReplicationSlot } from '../../db/checks/replication-slots.ts'
import type { Check } from './check.ts'

const MANY_BYTES = 10e9

/** Checks that no replication slot fills the disk of Postgres. */
export const checkReplicationSlots: Check = {
  name: 'replication slots',
  async run({ postgres }) {
    const slots = await listReplicationSlots(await postgres())
    return {
      saw: slots.length === 0 ? 'none' : slots.map(({ name }) => name).join(', '),
      findings: slots.flatMap(judgeSlot),
    }
  },
}

/** Judges a slot. */
export function judgeSlot({ name, active, status, retained }: ReplicationSlot): Finding[] {
  const drop = `If nothing needs it any more, as a superuser: select pg_drop_replication_slot('${name}');`
  if (status === 'lost')
    return [
      {
        level: 'warning',
        message: `The replication slot ${name} has lost the log that it needs: its replica cannot go on`,
        remedy: `Make the replica again. ${drop}`,
      },
    ]
  if (active && retained < MANY_BYTES) return []
  const state = active
    ? `is ${presentBytes(retained)} behind`
    : `is not in use, and keeps ${presentBytes(retained)} of the log`
  return [
    {
      level: 'warning',
      message: `The replication slot ${name} ${state}: the log that is kept for it can fill the disk, and old rows may stay`,
      remedy: `Start its replica, or limit what is kept with max_slot_wal_keep_size. ${drop}`,
    },
  ]
}
