import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { migrateDatabase } from '../../../db/migrate-database.ts'
import { startPostgres } from '../../../scripts/servers/start-postgres.ts'
import type { TestDatabase } from '../stores.ts'
import { makeServerDirectory } from './server-directory.ts'

const SIZE_MIB = 96

/** A database on a small disk. */
export interface SmallDisk extends AsyncDisposable {
  readonly database: TestDatabase
  /** Fills the disk to its last byte. */
  fill(): Promise<void>
  /** Frees the space. */
  clear(): Promise<void>
}

/** Whether this user may mount file systems: root, unless a container forbids it. */
export async function canMount(): Promise<boolean> {
  const directory = await makeServerDirectory()
  try {
    mount(directory, 1)
    execFileSync('umount', [directory])
    return true
  } catch {
    return false
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const mount = (directory: string, mib: number, options = '') =>
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=700${options}`, 'tmpfs', directory], {
    stdio: 'ignore',
  })

/**
 * Opens a migrated, empty database on a small in-memory file system, with the server's log elsewhere. It has a separate
 * server, as a server with a full disk cannot drop any database.
 */
export async function openSmallDisk(): Promise<SmallDisk> {
  const [home, directory] = await Promise.all([makeServerDirectory(), makeServerDirectory()])
  const server = await startPostgres({ directory: home })
  let mounted = false
  const remove = async () => {
    await server.kill()
    if (mounted) execFileSync('umount', [directory])
    for (const path of [directory, server.directory, home]) await rm(path, { recursive: true, force: true })
  }
  try {
    const { uid, gid } = statSync(join(server.directory, 'cluster'))
    mount(directory, SIZE_MIB, `,uid=${uid},gid=${gid}`)
    mounted = true
    const client = new pg.Client(server.url('postgres'))
    await client.connect()
    await client.query(`create tablespace small location '${directory}'`)
    await client.query('create database inkling tablespace small')
    await client.end()
    await migrateDatabase(
      { url: server.url('inkling'), poolMax: 2 },
      { url: server.runtimeUrl('inkling'), poolMax: 2 },
    )
  } catch (error) {
    await remove()
    throw error
  }
  const filler = join(directory, 'filler')
  return {
    database: {
      url: server.runtimeUrl('inkling'),
      ownerUrl: server.url('inkling'),
      drop: async () => undefined,
    },
    async fill() {
      const file = await open(filler, 'a')
      try {
        for (const bytes of [1024 * 1024, 4096]) for (;;) await file.writeFile(Buffer.alloc(bytes, 1))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        await file.close()
      }
    },
    clear: () => rm(filler, { force: true }),
    [Symbol.asyncDispose]: remove,
  }
}
