import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DEFERRED_MIGRATIONS } from '../../../db/deferred-migrations.ts'
import type { Tenant } from '../service.ts'
import { PROJECT } from '../start-process.ts'

/** The project before its newest migration. */
export interface OldVersion extends AsyncDisposable {
  readonly project: string
  readonly commit: string
  readonly newestMigration: string
  /** Creates a subscription with that version's admin command. */
  openTenant(env: Record<string, string>): Promise<Tenant>
  /** Creates a key of a subscription that reads its events, in the same way. */
  createEventKey(env: Record<string, string>, tenant: Tenant): Promise<string>
}

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** Finds the last commit without the newest migration that is not deferred; undefined if the history does not have it, as in a shallow copy. */
export function findOldCommit(): { commit: string; newestMigration: string } | undefined {
  const isMigration = (file: string) =>
    /^\d{4}-/.test(file) && !Object.keys(DEFERRED_MIGRATIONS).includes(file.replace('.ts', ''))
  const migrations = readdirSync(join(PROJECT, 'db/migrations')).filter(isMigration).toSorted()
  const newestMigration = (migrations.at(-1) ?? '').replace('.ts', '')
  try {
    const commits = git('log', '--format=%H', '--max-count=1000', '-S', newestMigration, '--', LIST).split(
      '\n',
    )
    const commit = commits.at(-1) && git('rev-parse', '--verify', `${commits.at(-1)}^`)
    return commit ? { commit, newestMigration } : undefined
  } catch {
    return undefined // no git, no repository, or a history that starts later
  }
}

/** The file that lists all migrations. */
const LIST = 'db/migrate-database.ts'

/** Checks out a version to a temporary directory. It uses the dependencies of this version. */
export async function openOldVersion({
  commit,
  newestMigration,
}: {
  commit: string
  newestMigration: string
}): Promise<OldVersion> {
  const project = await mkdtemp(join(tmpdir(), 'inkling-old-'))
  const archive = execFileSync('git', ['archive', commit], { cwd: PROJECT, maxBuffer: 256 * 1024 * 1024 })
  execFileSync('tar', ['-x', '-C', project], { input: archive })
  symlinkSync(join(PROJECT, 'node_modules'), join(project, 'node_modules'))

  async function admin(env: Record<string, string>, ...args: string[]): Promise<Record<string, unknown>> {
    const child = spawn(process.execPath, ['scripts/admin.ts', ...args], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    if (stderr !== '') throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, unknown>
  }

  let tenants = 0
  return {
    project,
    commit,
    newestMigration,
    async createEventKey(env, { name }) {
      const { key } = await admin(env, 'key', 'create', name, '--scope', 'events:read')
      return String(key)
    },
    async openTenant(env) {
      const name = `Old lender ${++tenants}`
      const { id } = await admin(env, 'subscription', 'create', name)
      const { key } = await admin(env, 'key', 'create', name, '--role', 'uploader')
      // the load only uploads
      return { subscriptionId: Number(id), name, uploaderKey: String(key), requesterKey: '', userEmail: '' }
    },
    async [Symbol.asyncDispose]() {
      await rm(project, { recursive: true, force: true })
    },
  }
}
