import { once } from 'node:events'
import { createServer } from 'node:net'
import { StartError } from '../cli/start-error.ts'

/** @throws StartError if the port is not available. */
export async function checkPort(port: number): Promise<void> {
  const server = createServer().listen(port)
  try {
    await once(server, 'listening')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const fault = { EADDRINUSE: 'is in use', EACCES: 'needs more privileges' }[code ?? ''] ?? message
    throw new StartError(`Port ${port} ${fault}. Choose another with --port.`, { cause })
  }
  server.close()
  await once(server, 'close')
}
