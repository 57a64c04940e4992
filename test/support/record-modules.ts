import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

// Imported before a process of the tests (NODE_OPTIONS=--import): at its end, writes the URL of each file that it loaded.
const { MODULES_FILE = '' } = process.env
const urls: string[] = []
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) urls.push(url)
    return next(url, context)
  },
})
process.on('exit', () => writeFileSync(MODULES_FILE, JSON.stringify(urls)))
