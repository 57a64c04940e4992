import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** The blue of the logo, from paper to night. */
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

/** Darkness with a little of the same blue, from text to night. */
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

/** The one visual language of the portal: pages take colours, sizes and spaces from here. */
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
    // Mantine's close buttons have no name of their own. By name: an import would load them with the login page.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
})

/** What each state of a dataset looks like everywhere; never told by the colour alone. */
export const STATE_COLORS = { received: 'blue', ready: 'teal', invalid: 'orange', deleted: 'gray' } as const
