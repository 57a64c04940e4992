import { isIP } from 'node:net'
import { z } from 'zod'

/** Where captures are stored as objects. */
export interface CaptureStoreLocation {
  readonly bucket: string
  /** Of all keys: empty, or ends with a slash. */
  readonly prefix: string
  /** Address of a server other than AWS, which is asked in path style. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Whether new captures are written to it; otherwise those in it are read and removed. */
  readonly isWritten: boolean
}

const FORM = 's3://bucket/prefix?region=…, with endpoint=https://… for a server other than AWS'

/**
 * The variable that names the object storage of captures; without it they are in Postgres.
 *
 * In production, another machine is reached by HTTPS, unless the URL says `tls=off`, for a private network.
 */
export const captureStoreVariables = (env: NodeJS.ProcessEnv) => ({
  CAPTURE_STORE_URL: z
    .string()
    .transform((value, context): CaptureStoreLocation => {
      const fail = (message: string) => {
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
      const url = URL.parse(value)
      if (url?.protocol !== 's3:' || url.hostname === '' || url.port !== '') return fail(`must be ${FORM}`)
      if (url.username !== '' || url.password !== '')
        return fail('must not have credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
      const unknown = [...url.searchParams.keys()].filter((name) => !PARAMETERS.includes(name))
      if (unknown.length > 0) return fail(`has unknown parameters: ${unknown.join(', ')}; must be ${FORM}`)
      const { endpoint, region, write = 'on', tls } = Object.fromEntries(url.searchParams)
      const server = endpoint === undefined ? undefined : URL.parse(endpoint)
      if (server === null || (server && server.protocol !== 'https:' && server.protocol !== 'http:'))
        return fail('has an endpoint that is no address such as https://objects.example')
      if (
        env.NODE_ENV === 'production' &&
        server?.protocol === 'http:' &&
        tls !== 'off' &&
        !isLoopback(server)
      )
        return fail(
          'would be reached over the network without TLS: use https, or tls=off for a private network',
        )
      if (!['on', 'off'].includes(write)) return fail('has a parameter write that is neither on nor off')
      const path = url.pathname.replaceAll(/^\/+|\/+$/g, '')
      return {
        bucket: url.hostname,
        prefix: path === '' ? '' : `${path}/`,
        endpoint,
        region: region ?? env.AWS_REGION ?? 'us-east-1',
        isWritten: write === 'on',
      }
    })
    .optional(),
})

const PARAMETERS = ['endpoint', 'region', 'write', 'tls']

function isLoopback({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
