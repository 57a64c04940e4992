/** HTML that is included as it is. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values that a template may include: text is escaped, and `undefined` adds nothing. */
export type Part = string | number | Html | readonly Html[] | undefined

/** Builds HTML from a template. Values are safe as content and within quoted attributes, except addresses of links. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.map((text, n) => (n === 0 ? text : `${textOf(parts[n - 1])}${text}`)).join(''))

function textOf(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
