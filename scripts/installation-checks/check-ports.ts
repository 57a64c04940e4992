import { createServer } from 'node:net'
import type { Finding } from '../../db/checks/finding.ts'
import type { Check } from './check.ts'
import { Skipped } from './skipped.ts'

/** A page that a port of this service has, and what is in it. */
interface Page {
  readonly path: string
  readonly has: RegExp
}

const HEALTH: Page = { path: '/healthz', has: /"status":/ }
const METRICS: Page = { path: '/metrics', has: /^inkling_/m }

/** Checks that the ports of web and worker on this machine are free, or theirs. */
export const checkPorts: Check = {
  name: 'ports',
  async run({ variables: { PORT, WORKER_HEALTH_PORT, METRICS_PORT } }) {
    const ports = [
      { variable: 'PORT', port: PORT, page: HEALTH },
      { variable: 'WORKER_HEALTH_PORT', port: WORKER_HEALTH_PORT, page: HEALTH },
      { variable: 'METRICS_PORT', port: METRICS_PORT, page: METRICS },
    ].flatMap(({ port, ...rest }) => (port === undefined || port === 0 ? [] : [{ port, ...rest }]))
    if (ports.length === 0) throw new Skipped('no port is fixed')
    const results = await Promise.all(ports.map(checkPort))
    return {
      saw: results.map(({ saw }) => saw).join(', '),
      findings: results.flatMap(({ findings }) => findings),
    }
  },
}

interface Port {
  readonly variable: string
  readonly port: number
  readonly page: Page
}

async function checkPort({ variable, port, page }: Port): Promise<{ saw: string; findings: Finding[] }> {
  const fault = await findFault(port)
  if (fault === undefined) return { saw: `${port} free`, findings: [] }
  if (fault === 'EADDRINUSE' && (await isOurs(port, page)))
    return { saw: `${port} in use by a running process`, findings: [] }
  const message =
    fault === 'EACCES'
      ? `${variable}: this user may not listen on port ${port}`
      : `${variable}: another program listens on port ${port}`
  const remedy = `Set ${variable} to a free port from 1024 on, or end the program: ss --listening --tcp --processes 'sport = :${port}'`
  return { saw: `${port} taken`, findings: [{ level: 'warning', message, remedy }] }
}

/** Listens for a moment. @returns the code of the error. */
function findFault(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name))
    server.listen(port, () => server.close(() => resolve(undefined)))
  })
}

/** Whether a process of this service has it. */
async function isOurs(port: number, { path, has }: Page): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(2_000) })
    return has.test(await response.text())
  } catch {
    return false
  }
}
