/** Keeps the scripts of the built version: `npm run release:sdk`. */
import { releaseSdk } from './release-sdk.ts'

const version = await releaseSdk()
process.stdout.write(`api/sdk/released/${version} has the scripts of this version; commit it\n`)
