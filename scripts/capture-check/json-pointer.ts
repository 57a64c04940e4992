/** The place of a value in a JSON document: `/device/id`, empty for the document. @see RFC 6901 */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
