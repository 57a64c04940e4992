import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import type { TestDatabase } from '../stores.ts'
import { makeServerDirectory } from './server-directory.ts'

const SIZE_MIB = 96

/** A database on a small disk of its own. */
export interface SmallDisk extends AsyncDisposable {
  readonly database: TestDatabase
  /** Fills the disk to its last byte. */
  fill(): Promise<void>
  /** Makes the room free again. */
  clear(): Promise<void>
}

/** Whether this user may mount file systems, as root may, outside of containers that forbid it. */
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

/** Opens a migrated, empty database on a small file system in memory; the server's log is elsewhere. */
export async function openSmallDisk(): Promise<SmallDisk> {
  const serverUrl = inject('postgresUrl')
  const client = new pg.Client(serverUrl)
  await client.connect()
  const { rows } = await client.query('show data_directory')
  const { uid, gid } = statSync(rows[0].data_directory)
  const directory = await makeServerDirectory()
  mount(directory, SIZE_MIB, `,uid=${uid},gid=${gid}`)
  const name = `small_${randomBytes(6).toString('hex')}`
  await client.query(`create tablespace ${name} location '${directory}'`)
  const template = pg.escapeIdentifier(inject('templateDatabase'))
  await client.query(`create database ${name} template ${template} tablespace ${name}`)
  const url = new URL(serverUrl)
  url.pathname = name
  const filler = join(directory, 'filler')
  const drop = async () => {
    await client.query(`drop database if exists ${name} with (force)`)
  }
  return {
    database: {
      url: url.href,
      drop,
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
    async [Symbol.asyncDispose]() {
      try {
        await drop() // once more: the house that drops it may not have been opened
        await client.query(`drop tablespace ${name}`)
      } finally {
        await client.end()
        execFileSync('umount', [directory])
        await rm(directory, { recursive: true, force: true })
      }
    },
  }
}
