import { Readable, Writable } from 'node:stream'
import { runAdmin } from '../../scripts/admin-commands/run-admin.ts'

export interface CommandInput {
  readonly env?: NodeJS.ProcessEnv
  readonly stdin?: string
}

/** Runs an operator command in this process, without Ctrl-C; a start of Node and its packages costs 0.5 s of processor time. */
export async function runAdminHere(
  args: readonly string[],
  { env = {}, stdin = '' }: CommandInput = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [collectText(), collectText()]
  const code = await runAdmin(args, {
    env,
    stdin: Readable.from([stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    exitCode: 0,
    catchInterrupt: () => new AbortController().signal,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collectText() {
  let text = ''
  const stream = new Writable({
    decodeStrings: false,
    write(part: string, _encoding, done) {
      text += part
      done()
    },
  })
  return { stream, text: () => text }
}
