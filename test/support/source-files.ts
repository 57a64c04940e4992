import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from './start-process.ts'

export const FOLDERS = ['db', 'api', 'worker', 'scripts', 'test'] as const

/** A source file of the project; its path is relative to the project, with slashes. */
export interface SourceFile {
  readonly path: string
  /** Without comments. */
  readonly code: string
}

export function readSourceFiles(): SourceFile[] {
  const paths = globSync(`{${FOLDERS}}/**/*.{ts,tsx,js,mjs}`, {
    cwd: PROJECT,
    exclude: ['api/{portal,sdk,client}/dist/**', 'api/sdk/released/**'],
  })
  return paths.map((path) => ({
    path: path.replaceAll('\\', '/'),
    code: withoutComments(readFileSync(join(PROJECT, path), 'utf8')),
  }))
}

/** Lists the top-level names of the project that git tracks or does not ignore. */
export function listTopLevel(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT,
    encoding: 'utf8',
  })
  const paths = listed.trimEnd().split('\n')
  return [...new Set(paths.map((path) => path.split('/')[0] ?? path))]
}

/** Sufficient for our formatted code, although it also removes strings that look like comments. */
function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
}
