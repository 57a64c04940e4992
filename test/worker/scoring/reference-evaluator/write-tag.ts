export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Escapes text for XML. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Writes an element; undefined attributes are omitted. */
export function tag(name: string, attributes: Attributes, ...inner: readonly string[]): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escaped(String(value))}"`],
  )
  return `<${name}${written.join('')}>${inner.join('')}</${name}>`
}
