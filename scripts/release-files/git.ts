import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { UserError } from '../cli/user-error.ts'

const run = promisify(execFile)

/** Runs git in a folder. @returns its output, trimmed. @throws UserError with the message of git */
export async function git(folder: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await run('git', ['-C', folder, ...args], { maxBuffer: 16 * 1024 * 1024 })
    return stdout.trim()
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string }
    if (code === 'ENOENT') throw new UserError('git is not installed')
    throw new UserError(`git ${args[0]}: ${stderr?.trim() ?? error}`)
  }
}
