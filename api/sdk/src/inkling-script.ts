/** The script for `<script src="…/sdk/v1.js">`: sets `Inkling`. */
import { createStart } from './start.ts'

declare const VERSION: string

/** Where the modules of this version are: beside the script, or in the folder of the version. */
const folder = (document.currentScript as HTMLScriptElement).src
  .replace(/v1\.js/, `${VERSION}/`)
  .replace(/[^/]*$/, '')

declare global {
  var Inkling: object
}
self.Inkling = { start: createStart((name) => import(/* @vite-ignore */ `${folder}${name}.mjs`)) }
