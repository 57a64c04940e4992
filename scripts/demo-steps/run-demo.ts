import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Inkling } from '../../api/client/src/index.ts'
import { printMessage } from '../cli/print-message.ts'
import { presentJson } from '../reports/present-json.ts'
import { buildPortal } from '../servers/build-portal.ts'
import { callApi } from '../servers/call-api.ts'
import { checkPort } from '../servers/check-port.ts'
import { openQueueServer } from '../servers/open-queue-server.ts'
import type { ProcessGroup } from '../servers/process-group.ts'
import { readProcfile } from '../servers/procfile.ts'
import { runToEnd } from '../servers/run-to-end.ts'
import { DRAIN_SECONDS, serverEnvironment } from '../servers/server-environment.ts'
import { startCommand } from '../servers/start-command.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { waitUntilReady } from '../servers/wait-until-ready.ts'
import { openAdmin } from './admin.ts'
import { openCredentials } from './credentials.ts'
import { openDataDirectory } from './data-directory.ts'
import { findSiteKey } from './find-site-key.ts'
import { makeUploads } from './make-uploads.ts'
import { presentCommands } from './present-commands.ts'
import { serveApplication } from './serve-application.ts'
import { uploadBurst } from './upload-burst.ts'
import { waitUntilProcessed } from './wait-until-processed.ts'

export interface DemoOptions {
  /** The project. */
  readonly root: string
  readonly once: boolean
  readonly count: number
  readonly port: number
  /** The URL of a server, or true for one that the demo starts. */
  readonly redis: string | boolean
  readonly data: string
  readonly fresh: boolean
}

/** Runs the demo from start to end; `processes` stops the servers that it starts. */
export async function runDemo(options: DemoOptions, processes: ProcessGroup): Promise<void> {
  const { root, once, count, port } = options
  const { signal } = processes
  await checkPort(port)
  const data = await openDataDirectory(options.data, options)
  const redisUrl = await openQueueServer(
    options.redis,
    { directory: data.redis, log: data.log('redis') },
    processes,
  )
  const postgres = await startPostgres({ directory: data.postgres, log: data.log('postgres'), signal })
  processes.add('Postgres', data.log('postgres'), postgres)
  const reason = postgres.directory === data.postgres ? '' : ': its user has no access to the data directory'
  printMessage(`Postgres runs with data in ${postgres.directory}${reason}`)

  const databaseUrl = postgres.runtimeUrl('postgres')
  const env = serverEnvironment({ databaseUrl, redisUrl, ownRedis: options.redis === true, port })
  const command = readProcfile(root)
  const ofOwner = { ...env, DATABASE_OWNER_URL: postgres.url('postgres') }
  const migrated = await runToEnd('sh', ['-c', command('release')], { cwd: root, env: ofOwner, signal })
  printMessage(migrated.trim())

  if (await buildPortal(root)) printMessage('Built the portal')
  for (const name of ['web', 'worker']) {
    const log = data.log(name)
    const process = { name, command: 'sh', args: ['-c', `exec ${command(name)}`], cwd: root, env, log }
    processes.add(name, log, await startCommand({ ...process, graceMs: (DRAIN_SECONDS + 5) * 1_000, signal }))
  }
  const baseUrl = `http://localhost:${port}`
  await waitUntilReady(baseUrl, signal)
  printMessage(`web and worker run; their logs are in ${dirname(data.log('web'))}`)

  const admin = openAdmin({ root, env, signal })
  const credentials = await openCredentials(data.credentials, { admin, baseUrl, signal })
  const [sample, ...uploads] = await makeUploads(new Date().toISOString(), count + 1, signal)
  const uploader = new Inkling({ baseUrl, key: credentials.uploaderKey })
  await uploadBurst(uploads, { uploader, signal })
  const subscriptionId = credentials.subscription.id
  const referenceNumbers = new Set(uploads.map(({ body }) => body.referenceNumber))
  await waitUntilProcessed({
    databaseUrl,
    subscriptionId,
    referenceNumbers,
    workerLog: data.log('worker'),
    signal,
  })

  // only datasets from phones have permission fragments
  const shown = uploads.find(({ platform }) => platform !== 'web') ?? uploads[0]
  if (!sample || !shown) throw new Error('No dataset was uploaded')
  const path = `/v6.0/datasets/${shown.body.referenceNumber}/datasetinsight`
  const insight = await callApi(baseUrl, { path, bearer: credentials.token, signal })
  if (insight.status !== 200) throw new Error(`${path} returned ${insight.status}: ${insight.text}`)
  process.stdout.write(`${presentJson(JSON.parse(insight.text))}\n`)
  if (once) return

  const { referenceNumber, data: blob, realIp } = sample.body
  writeFileSync(data.sample, JSON.stringify({ referenceNumber, data: blob, realIp }))
  await using application = await serveApplication({
    ...{ port: port + 1, baseUrl, uploader, signal },
    findSiteKey: (origin) => findSiteKey(admin, subscriptionId, origin),
  })
  process.stdout.write(
    presentCommands({
      baseUrl,
      applicationUrl: application.url,
      databaseUrl,
      redisUrl,
      credentials,
      sample: { file: data.sample, referenceNumber },
    }),
  )
  printMessage('The demo is running; Ctrl-C stops it')
  await processes.untilInterrupted()
}
