import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname, join } from 'node:path'
import { readProcfile } from '../../scripts/servers/procfile.ts'

export const PROJECT = join(import.meta.dirname, '../..')

const { NODE_COMPILE_CACHE } = process.env

/** Returns the whole environment of a process on a PaaS. It inherits only the PATH and the cache of vitest.config.ts. */
export function paasEnv(
  stores: { databaseUrl: string; redisUrl?: string | undefined },
  more: Record<string, string> = {},
): Record<string, string> {
  return {
    // first, so that the processes use the same Node as the tests
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

/** Exit status of a process, and the time from its signal to its end. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly ms: number
}

/** A process of the Procfile. */
export interface StartedProcess {
  /** Of the process itself: the command of the Procfile replaces its shell. */
  readonly pid: number | undefined
  /** Resolves when the process ended. */
  readonly ended: Promise<Ending>
  /** Returns its output so far, on stdout and stderr. */
  output(): string
  /** Lists its log entries so far. */
  logged(): LogEntry[]
  /** Resolves when this message is logged. @throws if the process ends first. */
  waitForLog(message: string): Promise<LogEntry>
  /** Sends a signal without waiting. */
  send(signal: NodeJS.Signals): void
  /** Sends a signal; resolves when the process ended. */
  end(signal: NodeJS.Signals): Promise<Ending>
}

export interface WebProcess extends StartedProcess {
  readonly url: string
}

const running = new Set<ChildProcess>()

/** Starts a process of the Procfile, by its type. The caller must call `killProcesses` at the end. */
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
  let signalledAt = performance.now()
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      for (const watch of watchers) watch()
    })
  child.on('close', (code, signal) => {
    running.delete(child)
    end({ code, signal, ms: performance.now() - signalledAt })
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
    pid: child.pid,
    send: (signal) => void child.kill(signal),
    end(signal) {
      signalledAt = performance.now()
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

/** Starts the worker process and waits until it is ready. */
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

/** Kills all started processes that are still running. */
export async function killProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGKILL')
      await once(child, 'close')
    }),
  )
}

/** Starts a shell that kills the child when this process ends for any reason, which closes the shell's input. */
export function killWithThisProcess(child: ChildProcess): void {
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
    return [] // an incomplete line
  }
}
