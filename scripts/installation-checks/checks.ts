import type { Check } from './check.ts'
import { checkClocks } from './check-clocks.ts'
import { checkConnections } from './check-connections.ts'
import { checkDisk } from './check-disk.ts'
import { checkDurableCommits } from './check-durable-commits.ts'
import { checkEncryptionKeys } from './check-encryption-keys.ts'
import { checkEnvironment } from './check-environment.ts'
import { checkMigrations } from './check-migrations.ts'
import { checkNode } from './check-node.ts'
import { checkObjectStorage } from './check-object-storage.ts'
import { checkPoolerAddress } from './check-pooler-address.ts'
import { checkPorts } from './check-ports.ts'
import { checkPostgres } from './check-postgres.ts'
import { checkQueue } from './check-queue.ts'
import { checkRedis } from './check-redis.ts'
import { checkReplica } from './check-replica.ts'
import { checkReplicationSlots } from './check-replication-slots.ts'
import { checkRoles } from './check-roles.ts'
import { checkSigningKeys } from './check-signing-keys.ts'
import { checkTls } from './check-tls.ts'
import { checkVacuum } from './check-vacuum.ts'
import { checkWeb } from './check-web.ts'

/** All checks, in the order of the report. */
export const CHECKS: readonly Check[] = [
  checkNode,
  checkEnvironment,
  checkPostgres,
  checkDurableCommits,
  checkMigrations,
  checkRoles,
  checkConnections,
  checkPoolerAddress,
  checkVacuum,
  checkReplicationSlots,
  checkReplica,
  checkDisk,
  checkRedis,
  checkQueue,
  checkObjectStorage,
  checkTls,
  checkClocks,
  checkSigningKeys,
  checkEncryptionKeys,
  checkPorts,
  checkWeb,
]
