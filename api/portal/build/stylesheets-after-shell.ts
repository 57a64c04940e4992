import type { Plugin } from 'vite'

const ROOT = '<div id="root">'

const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g

/**
 * Moves the links to stylesheets from the head to the place between the shell and the root of the pages. A browser paints nothing while a stylesheet of the head
 * loads; the shell of index.html has its styles inline and is painted before. Scripts still run after the stylesheets, and the
 * theme, which Mantine writes into the root, still comes after Mantine's defaults.
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
