/** Of stability marks, as in the portal: quiet, to look into, shifted. */
export const MARK_COLOURS = { stable: '#2e7d32', shifting: '#b26a00', shifted: '#b3261e' }

export const px = (value: number): string => value.toFixed(1)

/** Text as SVG takes it; what is no character of XML is left out. */
export const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not take
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
