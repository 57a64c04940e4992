import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from './start-process.ts'

export const FOLDERS = ['db', 'api', 'worker', 'scripts', 'test'] as const

/** One of our source files; its path is relative to the project, with slashes. */
export interface SourceFile {
  readonly path: string
  /** Without comments. */
  readonly code: string
}

export function readSourceFiles(): SourceFile[] {
  const paths = globSync(`{${FOLDERS}}/**/*.{ts,tsx,js,mjs}`, {
    cwd: PROJECT,
    exclude: ['api/portal/dist/**'],
  })
  return paths.map((path) => ({
    path: path.replaceAll('\\', '/'),
    code: withoutComments(readFileSync(join(PROJECT, path), 'utf8')),
  }))
}

/** Names at the top of the project: tracked by git, or about to be. */
export function listTopLevel(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT,
    encoding: 'utf8',
  })
  const paths = listed.trimEnd().split('\n')
  return [...new Set(paths.map((path) => path.split('/')[0] ?? path))]
}

/** Good enough for our own formatted code: a string that looks like a comment would be cut. */
function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
}
