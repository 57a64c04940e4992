import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** What a command printed, and its exit code, once it ended; it may end without reading its input. */
export async function readToEnd(
  child: ChildProcessWithoutNullStreams,
  input = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}
