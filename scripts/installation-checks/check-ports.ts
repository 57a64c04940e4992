import { createServer } from 'node:net'
import type { Finding } from '../../db/checks/finding.ts'
import type { Check } from './check.ts'
import { Skipped } from './skipped.ts'

/** Checks that the ports of web and worker on this machine are free, or theirs. */
export const checkPorts: Check = {
  name: 'ports',
  async run({ variables: { PORT, WORKER_HEALTH_PORT } }) {
    const ports = [
      { variable: 'PORT', port: PORT },
      { variable: 'WORKER_HEALTH_PORT', port: WORKER_HEALTH_PORT },
    ].flatMap(({ variable, port }) => (port === undefined || port === 0 ? [] : [{ variable, port }]))
    if (ports.length === 0) throw new Skipped('no port is fixed')
    const results = await Promise.all(ports.map(({ variable, port }) => checkPort(variable, port)))
    return {
      saw: results.map(({ saw }) => saw).join(', '),
      findings: results.flatMap(({ findings }) => findings),
    }
  },
}

async function checkPort(variable: string, port: number): Promise<{ saw: string; findings: Finding[] }> {
  const fault = await findFault(port)
  if (fault === undefined) return { saw: `${port} free`, findings: [] }
  if (fault === 'EADDRINUSE' && (await isOurs(port)))
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
async function isOurs(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) })
    await response.body?.cancel()
    return response.ok && (response.headers.get('content-type')?.includes('json') ?? false)
  } catch {
    return false
  }
}
