import type { Plugin } from 'vite'

const ROOT = '<div id="root">'

const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g

/**
 * Moves the stylesheet links from the head to between the shell and the root of the pages. Browsers paint nothing while a
 * stylesheet of the head loads; the shell of index.html has inline styles and is painted earlier. Scripts still run after the
 * stylesheets, and the theme, which Mantine writes into the root, still follows Mantine's defaults.
 */
export function stylesheetsAfterShell(): Plugin {
  return {
    name: 'stylesheets-after-shell',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const links = html.match(STYLESHEET) ?? []
        return html.replace(STYLESHEET, '').replace(ROOT, `${links.join('').trim()}\n    ${ROOT}`)
      },
    },
  }
}
