import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The blue of the logo, from light to dark. */
const ink: MantineColorsTuple = [
  '#f0f3ff',
  '#dfe5fa',
  '#bcc8f0',
  '#96a9e7',
  '#7690df',
  '#6280da',
  '#4a66c8',
  '#2f4bb8',
  '#26409f',
  '#1b3184',
]

/** Grays with a hint of the same blue, from text to background. */
const dark: MantineColorsTuple = [
  '#cdd1dd',
  '#b8bdcc',
  '#9aa0b4',
  '#6c7287',
  '#43485a',
  '#363b4b',
  '#2a2e3c',
  '#1c1f2b',
  '#161924',
  '#0f111a',
]

/** Colours, sizes and spaces of all pages. */
export const theme = createTheme({
  colors: { ink, dark },
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' } } },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Mantine's close buttons have no accessible name. Configured by name: an import would load them with the sign-in page.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
})
