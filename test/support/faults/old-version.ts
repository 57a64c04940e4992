import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Tenant } from '../service.ts'
import { PROJECT } from '../start-process.ts'

/** The project as it was before its newest migration. */
export interface OldVersion extends AsyncDisposable {
  readonly project: string
  readonly commit: string
  readonly newestMigration: string
  /** Makes a subscription by the operator's command of that version. */
  openTenant(env: Record<string, string>): Promise<Tenant>
}

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** The last commit that does not know the newest migration; undefined where the history has none, as in a copy without it. */
export function findOldCommit(): { commit: string; newestMigration: string } | undefined {
  const newestMigration = (readdirSync(join(PROJECT, 'db/migrations')).toSorted().at(-1) ?? '').replace(
    '.ts',
    '',
  )
  try {
    const commits = git('log', '--format=%H', '--max-count=1000', '-S', newestMigration, '--', LIST).split(
      '\n',
    )
    const commit = commits.at(-1) && git('rev-parse', '--verify', `${commits.at(-1)}^`)
    return commit ? { commit, newestMigration } : undefined
  } catch {
    return undefined // no git, no repository, or one that begins later
  }
}

/** Names every migration that a version knows. */
const LIST = 'db/migrate-database.ts'

/** Takes that version out of the history. Its dependencies are those of this one. */
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
    async openTenant(env) {
      const name = `Old lender ${++tenants}`
      const { id } = await admin(env, 'subscription', 'create', name)
      const { key } = await admin(env, 'key', 'create', name, '--role', 'uploader')
      // a load only uploads
      return { subscriptionId: Number(id), name, uploaderKey: String(key), requesterKey: '', userEmail: '' }
    },
    async [Symbol.asyncDispose]() {
      await rm(project, { recursive: true, force: true })
    },
  }
}
