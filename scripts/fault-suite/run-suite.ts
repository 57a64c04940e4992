import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FaultResult, parseFaultResults } from './fault-result.ts'

/**
 * Runs the tests of test/faults; their output goes to stderr.
 *
 * @returns their results and Vitest's exit code.
 */
export async function runSuite(
  root: string,
  filters: readonly string[],
  form: 'short' | 'long',
): Promise<{ results: FaultResult[]; exitCode: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'inkling-faults-'))
  const file = join(directory, 'results.jsonl')
  const files = filters.length > 0 ? filters.map((name) => `test/faults/${name}`) : ['test/faults/']
  try {
    const vitest = spawn(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', root, ...files],
      {
        cwd: root,
        env: { ...process.env, FAULTS: form, FAULT_FIGURES: file },
        stdio: ['ignore', process.stderr, process.stderr],
      },
    )
    const [code] = await once(vitest, 'close')
    return {
      results: existsSync(file) ? parseFaultResults(readFileSync(file, 'utf8')) : [],
      exitCode: code ?? 1,
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
