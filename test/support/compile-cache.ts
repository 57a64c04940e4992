import { join } from 'node:path'
import { PROJECT } from './start-process.ts'

/** Code that Node compiled for processes of the tests. Emptied before each run: tests also start temporary copies of the project. */
export const COMPILE_CACHE = join(PROJECT, 'node_modules/.cache/node-compile')
