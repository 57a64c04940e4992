import { readFileSync } from 'node:fs'

/** Returns the end of a log under its file name, to show why a process failed; empty if the file cannot be read. */
export function lastLines(file: string, count = 12): string {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {}
  const lines = text.trimEnd().split('\n').slice(-count)
  return [`The last lines of ${file}:`, ...lines.map((line) => `  ${line.slice(0, 300)}`)].join('\n')
}
