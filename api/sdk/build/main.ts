/** Builds the SDK: `npm run build:sdk`. */
import { buildSdk } from './build-sdk.ts'

await buildSdk()
