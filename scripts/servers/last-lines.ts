import { readFileSync } from 'node:fs'

/** The end of a log, to show why something failed, under the name of the file; what it can't read is empty. */
export function lastLines(file: string, count = 12): string {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {}
  const lines = text.trimEnd().split('\n').slice(-count)
  return [`The last lines of ${file}:`, ...lines.map((line) => `  ${line.slice(0, 300)}`)].join('\n')
}
