/** The web process: the API on PORT, until SIGTERM or SIGINT; with WEB_CONCURRENCY, several processes behind it. */
import cluster from 'node:cluster'
import { readEnvOrExit } from '../db/runtime/env.ts'
import { webEnv } from './config.ts'

const env = readEnvOrExit(webEnv(process.env), process.env)
// imported on demand: the primary process loads neither the API nor its stores
if (cluster.isPrimary && env.WEB_CONCURRENCY > 1) await (await import('./supervise.ts')).supervise(env)
else await (await import('./serve.ts')).serve(env, process.env.NODE_ENV === 'production')
