import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { readProcfile } from '../../scripts/servers/procfile.ts'

export const PROJECT = join(import.meta.dirname, '../..')

const { NODE_COMPILE_CACHE } = process.env

/** The whole environment of a process, as a PaaS sets it: nothing of this one but the PATH and the cache of vitest.config.ts. */
export function paasEnv(
  stores: { databaseUrl: string; redisUrl?: string | undefined },
  more: Record<string, string> = {},
): Record<string, string> {
  return {
    // first, so that the processes run on the Node that runs the tests
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    DATABASE_URL: stores.databaseUrl,
    ...(stores.redisUrl !== undefined && { REDIS_URL: stores.redisUrl }),
    PORT: '0',
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    ...more,
  }
}

export interface LogEntry {
  readonly level: number
  readonly msg: string
  readonly [member: string]: unknown
}

/** How a process ended, and how long after it was asked to. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly ms: number
}

/** A process of the Procfile. */
export interface StartedProcess {
  /** Resolves when it is gone. */
  readonly ended: Promise<Ending>
  /** All that it printed so far, on stdout and stderr. */
  output(): string
  /** What it logged so far. */
  logged(): LogEntry[]
  /** Resolves when this is logged. @throws when the process ends first. */
  waitForLog(message: string): Promise<LogEntry>
  /** Sends a signal and waits for nothing. */
  send(signal: NodeJS.Signals): void
  /** Sends a signal; resolves when the process is gone. */
  end(signal: NodeJS.Signals): Promise<Ending>
}

export interface WebProcess extends StartedProcess {
  readonly url: string
}

const running = new Set<ChildProcess>()

/** Starts a process of the Procfile, by its type. Whoever calls this calls `killProcesses` at the end. */
export function startProcess(type: string, env: Record<string, string>, project = PROJECT): StartedProcess {
  const child = spawn('sh', ['-c', `exec ${readProcfile(project)(type)}`], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // Ctrl-C in the terminal is for the test runner
  })
  running.add(child)
  killWithThisProcess(child)

  let output = ''
  const { promise: ended, resolve: end } = Promise.withResolvers<Ending>()
  const watchers = new Set<() => void>()
  let askedAt = performance.now()
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      for (const watch of watchers) watch()
    })
  child.on('close', (code, signal) => {
    running.delete(child)
    end({ code, signal, ms: performance.now() - askedAt })
  })

  const logged = () => output.split('\n').flatMap(parseEntry)
  return {
    ended,
    output: () => output,
    logged,
    waitForLog(message) {
      const { promise, resolve, reject } = Promise.withResolvers<LogEntry>()
      const watch = () => {
        const entry = logged().find(({ msg }) => msg === message)
        if (!entry) return
        watchers.delete(watch)
        resolve(entry)
      }
      watchers.add(watch)
      watch()
      void ended.then(() => reject(new Error(`${type} ended before it logged ${message}:\n${output}`)))
      return promise
    },
    send: (signal) => void child.kill(signal),
    end(signal) {
      askedAt = performance.now()
      child.kill(signal)
      return ended
    },
  }
}

/** Starts the web process and waits until it listens. */
export async function startWeb(env: Record<string, string>, project?: string): Promise<WebProcess> {
  const web = startProcess('web', env, project)
  const { port } = await web.waitForLog('listening')
  return { ...web, url: `http://127.0.0.1:${port}` }
}

/** Starts the worker process and waits until it works. */
export async function startWorker(env: Record<string, string>, project?: string): Promise<StartedProcess> {
  const worker = startProcess('worker', env, project)
  await worker.waitForLog('working')
  return worker
}

/** Runs the release process to its end. */
export async function runRelease(
  env: Record<string, string>,
  project?: string,
): Promise<{ code: number | null; output: string }> {
  const release = startProcess('release', env, project)
  const { code } = await release.ended
  return { code, output: release.output() }
}

/** Ends what was started and still runs, at once. */
export async function killProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGKILL')
      await once(child, 'close')
    }),
  )
}

/** Has a shell kill the child when this process is gone, however it ended: that closes the shell's input. */
function killWithThisProcess(child: ChildProcess): void {
  if (child.pid === undefined) return
  const guard = spawn('sh', ['-c', 'read ended || kill -9 "$0"', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.stdin.on('error', () => undefined)
  guard.unref()
  child.on('exit', () => guard.stdin.end('ended\n'))
}

function parseEntry(line: string): LogEntry[] {
  try {
    return line.startsWith('{') ? [JSON.parse(line) as LogEntry] : []
  } catch {
    return [] // not whole yet
  }
}
