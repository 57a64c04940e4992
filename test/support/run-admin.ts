import { Readable, Writable } from 'node:stream'
import { runAdmin } from '../../scripts/admin-commands/run-admin.ts'
import type { CommandIo } from '../../scripts/cli/command-io.ts'

export interface CommandInput {
  readonly env?: NodeJS.ProcessEnv
  readonly stdin?: string
}

/** Runs an operator command in this process, without Ctrl-C; a start of Node and its packages costs 0.5 s of processor time. */
export const runAdminHere = (args: readonly string[], input?: CommandInput) => runHere(runAdmin, args, input)

/** Runs a command in this process, as `runAdminHere`. @param run returns the exit code. */
export async function runHere(
  run: (args: readonly string[], io: CommandIo) => Promise<number>,
  args: readonly string[],
  { env = {}, stdin = '' }: CommandInput = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [collectText(), collectText()]
  const code = await run(args, {
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
