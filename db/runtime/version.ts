import manifest from '../../package.json' with { type: 'json' }
import { SCHEMA_VERSION } from '../postgres/application-name.ts'

/** What runs: the version of the service, and the number of the newest migration that it knows. */
export interface ServiceVersion {
  readonly version: string
  readonly schema: string
}

/** Returns the version of package.json and the schema of this code, without I/O; the tables may have another one during an upgrade. */
export const serviceVersion = (): ServiceVersion => ({ version: manifest.version, schema: SCHEMA_VERSION })
