import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const root = join(import.meta.dirname, '../..')

export const FOLDERS = ['db', 'api', 'worker', 'scripts', 'test'] as const
export type Folder = (typeof FOLDERS)[number]

/** One of our source files; all paths are relative to the project, with slashes. */
export interface SourceFile {
  readonly path: string
  readonly folder: Folder
  /** Without comments. */
  readonly code: string
  /** The files of ours that it imports, types included. */
  readonly imports: readonly string[]
}

export function readSourceFiles(): SourceFile[] {
  return FOLDERS.flatMap((folder) =>
    globSync(`${folder}/**/*.{ts,tsx,js,mjs}`, { cwd: root, exclude: ['api/portal/dist/**'] }).map(
      (found) => {
        const path = found.replaceAll('\\', '/')
        const code = withoutComments(readFileSync(join(root, path), 'utf8'))
        const specifiers = [...code.matchAll(/\b(?:from|import)\s*\(?\s*(['"])(.+?)\1/g)].map(
          (match) => match[2] ?? '',
        )
        const relative = specifiers.filter((specifier) => specifier.startsWith('.'))
        return {
          path,
          folder,
          code,
          imports: relative.map((specifier) => posix.join(posix.dirname(path), specifier)),
        }
      },
    ),
  )
}

/** What is at the top of the project: tracked by git, or about to be. */
export function listTopLevel(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  return [
    ...new Set(
      listed
        .trimEnd()
        .split('\n')
        .map((path) => path.split('/')[0] ?? path),
    ),
  ]
}

/** Good enough for our own formatted code: a string that looks like a comment would be cut. */
function withoutComments(code: string): string {
  return code.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
}
