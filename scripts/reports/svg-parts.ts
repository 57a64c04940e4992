/** Colours of stability marks, as in the portal. */
export const MARK_COLOURS = { stable: '#2e7d32', shifting: '#b26a00', shifted: '#b3261e' }

export const px = (value: number): string => value.toFixed(1)

/** Escapes a text for SVG and removes characters that XML does not allow. */
export const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow these characters
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
