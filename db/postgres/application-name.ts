/** The number of the newest migration of this version. */
export const SCHEMA_VERSION = '0043'

/** Name of the service's sessions in `pg_stat_activity`, which every role may read. Earlier versions had `inkling`. */
export const APPLICATION_NAME = `inkling ${SCHEMA_VERSION}`

/** Pattern of the names of sessions that web, workers and commands of any version open. */
export const PROCESS_NAMES = '^inkling( [0-9]{4}( .*)?)?$'

/** Name of the sessions of the release process. It has no version, since deferred migrations do not have to wait for this process. */
export const RELEASE_NAME = 'inkling release'
