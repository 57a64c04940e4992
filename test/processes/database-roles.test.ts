import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { migrateDatabase } from '../../db/migrate-database.ts'
import { type Db, openDatabase, queryRows } from '../../db/postgres/database.ts'
import { warnIfOwner } from '../../db/roles/current-role.ts'
import { presentRuntimeRole } from '../../db/roles/present-runtime-role.ts'
import { anUpload } from '../support/captures.ts'
import { readByCode, upload } from '../support/client.ts'
import { createDatabase, dropDatabase } from '../support/databases.ts'
import { openTenant } from '../support/service.ts'
import { killProcesses, paasEnv, runRelease, startWeb, startWorker } from '../support/start-process.ts'

const UNIQUE = randomBytes(4).toString('hex')
const OWNER = `owner_${UNIQUE}`
const RUNTIME = `Runtime "${UNIQUE}"` // as odd as a provider may choose it
const DATABASE = `roles_${UNIQUE}`

const urlOf = (role: string) =>
  Object.assign(new URL(inject('postgresUrl')), {
    username: role,
    password: 'secret & word',
    pathname: DATABASE,
  }).href
const [runtimeUrl, ownerUrl] = [urlOf(RUNTIME), urlOf(OWNER)]

const optionsOf = (url: string) => ({ url, poolMax: 2 })
const release = () => migrateDatabase(optionsOf(ownerUrl), optionsOf(runtimeUrl))
const env = paasEnv({ databaseUrl: runtimeUrl }, { DATABASE_OWNER_URL: ownerUrl })

let superuser: Db
let runtime: Db

/** An owner who is not a superuser, and may create roles as on managed Postgres. */
beforeAll(async () => {
  const server = inject('postgresUrl')
  await createDatabase(server, DATABASE)
  superuser = openDatabase(optionsOf(Object.assign(new URL(server), { pathname: DATABASE }).href))
  await superuser.raw(`create role ${OWNER} login createrole password 'secret & word'`)
  await superuser.raw(`alter database ${DATABASE} owner to ${OWNER}`)
  runtime = openDatabase(optionsOf(runtimeUrl))
})
afterAll(async () => {
  await killProcesses()
  await Promise.all([superuser.destroy(), runtime.destroy()])
  await dropDatabase(inject('postgresUrl'), DATABASE)
  const server = new pg.Client(inject('postgresUrl'))
  await server.connect()
  await server.query(`drop role if exists ${pg.escapeIdentifier(RUNTIME)}, ${OWNER}`)
  await server.end()
})

test('release creates the role of web and worker, and they work as it', async () => {
  expect(await runRelease(env)).toEqual({ code: 0, output: expect.stringMatching(/^Applied .*\n$/) })
  expect(await runRelease(env)).toEqual({ code: 0, output: 'The database is up to date\n' })

  const tenant = await openTenant(runtime)
  // without the URL of the owner; the queue is in Postgres too
  const own = paasEnv({ databaseUrl: runtimeUrl })
  const [web, worker] = await Promise.all([startWeb(own), startWorker(own)])
  const body = anUpload()
  expect((await upload(web.url, tenant.uploaderKey, body)).status).toBe(200)
  const read = await readByCode(web.url, tenant.requesterKey, body.referenceNumber)
  expect(read.status).toBe(200)
  for (const process of [web, worker]) {
    expect(await process.end('SIGTERM')).toMatchObject({ code: 0 })
    expect(process.logged().filter(({ level }) => level > 30)).toEqual([])
  }
})

describe('the role of web and worker', () => {
  test('owns nothing, and has exactly the privileges that it needs', async () => {
    const owned = await queryRows(
      runtime,
      `select classid::regclass, objid from pg_shdepend where refobjid = (select oid from pg_roles where rolname = current_user) and deptype = 'o'`,
    )
    expect(owned).toEqual([])
    const privileges = await queryRows<{ table: string; privileges: string[] }>(
      runtime,
      `select n.nspname || '.' || relname as table, array(
         select p from unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p
         where has_table_privilege(c.oid, p)
       ) as privileges
       from pg_class c join pg_namespace n on n.oid = relnamespace
       where nspname !~ '^pg_' and nspname <> 'information_schema' and relkind in ('r', 'p', 'v', 'm')`,
    )
    const others = ['select', 'insert', 'update', 'delete']
    const limited = privileges.filter((table) => table.privileges.join() !== others.join())
    expect(Object.fromEntries(limited.map((one) => [one.table, one.privileges]))).toEqual({
      'public.audit_events': ['select', 'insert'],
      'public.audit_chain': ['select'],
      'public.audit_heads': ['select'],
      'public.audit_deliveries': ['select', 'insert', 'update'],
      'public.security_event_counts': ['select', 'insert', 'update'],
      'public.opaque_id_secret': ['select'],
      'public.knex_migrations': ['select'],
      'public.knex_migrations_lock': ['select'],
    })
    expect(privileges.length).toBeGreaterThan(limited.length + 30)
    const [allowed] = await queryRows(
      runtime,
      `select array(select nspname::text from pg_namespace where has_schema_privilege(oid, 'create')) as schemas,
              has_database_privilege(current_database(), 'create, temporary') as database,
              (select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
               from pg_roles where rolname = current_user) as attributes,
              pg_has_role('${OWNER}', 'member') as owner`,
    )
    expect(allowed).toEqual({ schemas: [], database: false, attributes: false, owner: false })
  })

  test.each([
    'create table mine (id integer)',
    'create temporary table mine (id integer)',
    'create schema mine',
    "create function mine() returns integer language sql as 'select 1'",
    'alter table datasets add column mine text',
    'create index on datasets (uploaded_at)',
    'drop table datasets',
    'truncate datasets',
    'alter table audit_events disable trigger append_only',
    'drop trigger append_only on audit_events',
    'update audit_events set actor = null',
    'delete from audit_events',
    'truncate audit_events',
    "insert into audit_chain values (1, 99, 1, '')",
    'update audit_heads set seq = 0',
    'delete from security_event_counts',
    'create role mine',
    `set role ${OWNER}`,
    "set session_replication_role = 'replica'",
  ])('may not: %s', async (statement) => {
    await expect(runtime.raw(statement)).rejects.toThrow(/permission denied|must be owner/)
  })

  test('prunes old audit events by a function of the owner, and uses tables of later migrations at once', async () => {
    await runtime.raw("select prune_audit_events(1, now() - interval '2 years', 10)")
    const owner = openDatabase(optionsOf(ownerUrl))
    await owner.raw('create table later (id integer generated always as identity, name text)')
    await runtime.raw("insert into later (name) values ('one')")
    await owner.raw('drop table later')
    await owner.destroy()
  })

  test('gets a warning and the SQL to revoke it, if it may change the audit log by another role', async () => {
    await superuser.raw('grant pg_write_all_data to ??', [RUNTIME])
    const { runtimeRole } = await release()
    const { lines, failed } = presentRuntimeRole(runtimeRole)
    expect(failed).toBe(false)
    expect(lines[0]).toContain('may change the audit log by another role')
    const logged: string[] = []
    await warnIfOwner(runtime, pino({}, { write: (line) => void logged.push(line) }))
    expect(logged.join()).toContain('can change the audit log')

    for (const sql of lines.slice(1)) await superuser.raw(sql)
    expect(presentRuntimeRole((await release()).runtimeRole)).toEqual({ lines: [], failed: false })
    logged.length = 0
    await warnIfOwner(runtime, pino({}, { write: (line) => void logged.push(line) }))
    expect(logged).toEqual([])
  })

  test('is created by an administrator, with the SQL that release prints, where the owner may not', async () => {
    await superuser.raw(`alter role ${OWNER} nocreaterole`)
    const other = Object.assign(new URL(runtimeUrl), { username: `other_${UNIQUE}` }).href
    const withOther = () => migrateDatabase(optionsOf(ownerUrl), optionsOf(other))
    const { lines, failed } = presentRuntimeRole((await withOther()).runtimeRole)
    expect(failed).toBe(true)
    expect(lines.join('\n')).toMatch(/could not be created: permission denied to create role/)
    expect(lines.join('\n')).not.toContain('secret & word')
    await superuser.raw(lines.at(-1)?.replace('the password in DATABASE_URL', 'secret & word') ?? '')
    expect(presentRuntimeRole((await withOther()).runtimeRole)).toEqual({ lines: [], failed: false })
    const db = openDatabase(optionsOf(other))
    expect(await db('subscriptions').select('name')).toHaveLength(1)
    await db.destroy()
    await superuser.raw(`drop owned by other_${UNIQUE}; drop role other_${UNIQUE}`)
  })
})

test('a release with the URL of web alone says that it needs the one of the owner', async () => {
  const { code, output } = await runRelease(paasEnv({ databaseUrl: runtimeUrl }))
  expect(code).toBe(1)
  expect(output).toContain('Set DATABASE_OWNER_URL to the URL of the role that owns the tables')
})
