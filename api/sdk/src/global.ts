/** The script for `<script src="…/sdk/v1.js">`: sets `Inkling`. */
import { createStart } from './start.ts'
import type { Graphics } from './wire.ts'

declare const VERSION: string

interface Global {
  start: ReturnType<typeof createStart>
  version: string
  /** Set by `graphics.js`, which a page may also load itself, with its own integrity. */
  readGraphics?: () => Promise<Graphics>
}

/** Where the other files of this version are. */
const { src } = (document.currentScript ?? {}) as HTMLScriptElement
const folder = src?.replace(/[^/]*$/, '').replace(/(\/sdk\/)$/, `$1${VERSION}/`)

const inkling: Global = {
  version: VERSION,
  start: createStart(async () => {
    if (!inkling.readGraphics) await import(/* @vite-ignore */ `${folder}graphics.js`)
    return inkling.readGraphics as () => Promise<Graphics>
  }),
}
Object.assign(window, { Inkling: inkling })
