import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Lines of a document between which a script writes; they look like comments and are not shown. */
export interface Marks {
  readonly start: string
  readonly end: string
}

/**
 * Replaces what is between two marks of a document, so that what people wrote around them stays.
 *
 * @param title of the document where there is none yet.
 * @throws Error when it has lost the marks.
 */
export function writeBetweenMarks(
  file: string,
  { marks: { start, end }, title, text }: { marks: Marks; title: string; text: string },
): void {
  const document = existsSync(file) ? readFileSync(file, 'utf8') : `# ${title}\n\n${start}\n${end}\n`
  const [before, after] = [document.indexOf(start), document.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`${file} has lost the marks between which is written`)
  writeFileSync(file, `${document.slice(0, before)}${start}\n\n${text}\n\n${document.slice(after)}`)
}
