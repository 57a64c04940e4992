import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** HTML comments in a document that enclose its generated part. */
export interface Marks {
  readonly start: string
  readonly end: string
}

/**
 * Replaces the text between two marks of a document; the text around them stays.
 *
 * @param title the title of a new document.
 * @throws Error if the document lacks the marks.
 */
export function writeBetweenMarks(
  file: string,
  { marks: { start, end }, title, text }: { marks: Marks; title: string; text: string },
): void {
  const document = existsSync(file) ? readFileSync(file, 'utf8') : `# ${title}\n\n${start}\n${end}\n`
  const [before, after] = [document.indexOf(start), document.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`${file} lacks the marks ${start} and ${end}`)
  writeFileSync(file, `${document.slice(0, before)}${start}\n\n${text}\n\n${document.slice(after)}`)
}
