/** Builds the npm package of the client: `npm run build:client`. */
import { buildClient } from './build-client.ts'

await buildClient()
