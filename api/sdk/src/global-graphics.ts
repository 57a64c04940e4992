/** The script `graphics.js`: gives `Inkling` its module for graphics. */
import { readGraphics } from './graphics.ts'

Object.assign((window as unknown as { Inkling: object }).Inkling, { readGraphics })
