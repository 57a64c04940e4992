export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Text without what XML has a meaning for. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** One element; attributes that are undefined are left out. */
export function tag(name: string, attributes: Attributes, ...inner: readonly string[]): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escaped(String(value))}"`],
  )
  return `<${name}${written.join('')}>${inner.join('')}</${name}>`
}
