import type { Plugin } from 'vite'

const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/g

/**
 * Moves the links to stylesheets from the head to the end of the body. A browser paints nothing while a stylesheet of the head
 * loads; the shell of index.html has its styles inline and is painted before. Scripts still run after the stylesheets.
 */
export function stylesheetsAfterShell(): Plugin {
  return {
    name: 'stylesheets-after-shell',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const links = html.match(STYLESHEET) ?? []
        return html.replace(STYLESHEET, '').replace('</body>', `${links.join('')}\n  </body>`)
      },
    },
  }
}
