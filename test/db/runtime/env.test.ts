import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeSigningKey } from '../../../api/account/signing-keys.ts'
import { webEnv } from '../../../api/config.ts'
import { makeWrappingJwk } from '../../../db/encryption/wrapping-keys.ts'
import { databaseVariables, EnvError, integer, readEnv } from '../../../db/runtime/env.ts'
import { workerEnv } from '../../../worker/config.ts'

const DATABASE_URL = 'postgres://user:secret@db.example/inkling'

const web = (env: NodeJS.ProcessEnv) => readEnv(webEnv(env), env)
const worker = (env: NodeJS.ProcessEnv) => readEnv(workerEnv(env), env)

/** Invalid variables and their errors. */
function errorsOf(read: () => unknown): Record<string, string> {
  try {
    read()
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    const lines = error.message.split('\n').slice(1)
    return Object.fromEntries(
      lines.map((line) =>
        line
          .trim()
          .split(/: (.*)/s)
          .slice(0, 2),
      ),
    )
  }
  return {}
}

describe('readEnv', () => {
  test('applies defaults', () => {
    expect(worker({ DATABASE_URL })).toEqual({
      DATABASE_URL,
      DATABASE_POOL_MAX: 10,
      QUEUE_SHARDS: 4,
      LOG_LEVEL: 'info',
      DRAIN_SECONDS: 20,
      SECURITY_LOG: 'ids',
      WORKER_CONCURRENCY: 4,
      REQUEST_RETENTION_DAYS: 400,
      EVENT_RETENTION_DAYS: 400,
      AUDIT_RETENTION_DAYS: 2_557,
      FEED_RETENTION_DAYS: 30,
      WORKER_STUCK_SECONDS: 90,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: 0.01,
    })
    expect(web({ DATABASE_URL })).toMatchObject({
      PORT: 3_000,
      WEB_CONCURRENCY: 1,
      TOKEN_TTL_MINUTES: 60,
      MAX_BODY_BYTES: 8 * 1024 * 1024,
      INSIGHT_WAIT_MS: 10_000,
      TRUSTED_PROXIES: [],
      CLIENT_ADDRESS_HEADER: 'x-real-ip',
    })
  })

  test.each([
    ['https://inkling.example', true],
    ['https://inkling.example:8443/', true],
    ['http://localhost:3000', true],
    ['http://inkling.example', false],
    ['https://203.0.113.7', false],
    ['https://inkling.example/portal', false],
    ['inkling.example', false],
  ])('PUBLIC_URL %s is accepted: %s', (PUBLIC_URL, isValid) => {
    expect(Object.keys(errorsOf(() => web({ DATABASE_URL, PUBLIC_URL })))).toEqual(
      isValid ? [] : ['PUBLIC_URL'],
    )
  })

  test('names every invalid variable at once, and never a value', () => {
    const env = {
      DATABASE_URL: 'mysql://user:hunter2@db.example/x',
      REDIS_URL: 'hunter2',
      DATABASE_POOL_MAX: '1',
      DATABASE_TLS: 'hunter2',
      DATABASE_CA: 'hunter2',
      LOG_LEVEL: 'hunter2',
      DRAIN_SECONDS: 'hunter2',
      PORT: '65536',
      WEB_CONCURRENCY: '0',
      TOKEN_TTL_MINUTES: '-1',
      MAX_BODY_BYTES: '1e6',
      INSIGHT_WAIT_MS: '0x10',
      PUBLIC_URL: 'http://hunter2.example',
      TRUSTED_PROXIES: '10.0.0.0/8,hunter2',
      TOKEN_SIGNING_KEYS: '{"keys":["hunter2"]}',
    }
    const errors = errorsOf(() => web(env))
    expect(Object.keys(errors).toSorted()).toEqual(Object.keys(env).toSorted())
    expect(JSON.stringify(errors)).not.toMatch(/hunter2|65536|mysql|1e6/)
    expect(errors).toMatchObject({
      DATABASE_URL: 'must be a URL that starts with postgres:// or postgresql://',
      DATABASE_POOL_MAX: 'must be from 2 to 500',
      DRAIN_SECONDS: 'must be a whole number',
      PORT: 'must be from 0 to 65535',
    })
  })

  test.each([
    ['0', 'must be from 1 to 200'],
    ['201', 'must be from 1 to 200'],
    ['all', 'must be a whole number'],
  ])('WEB_CONCURRENCY must not be %s', (WEB_CONCURRENCY, fault) => {
    expect(errorsOf(() => web({ DATABASE_URL, WEB_CONCURRENCY }))).toEqual({ WEB_CONCURRENCY: fault })
  })

  test('names required variables that are missing', () => {
    expect(errorsOf(() => web({}))).toEqual({ DATABASE_URL: 'is required' })
    expect(errorsOf(() => worker({}))).toEqual({ DATABASE_URL: 'is required' })
    expect(errorsOf(() => readEnv(z.object(databaseVariables), {}))).toEqual({ DATABASE_URL: 'is required' })
  })

  test('treats empty variables as absent', () => {
    const empty = { REDIS_URL: '', DATABASE_TLS: '', DATABASE_CA: '', LOG_LEVEL: '', WORKER_CONCURRENCY: '' }
    expect(worker({ DATABASE_URL, ...empty })).toEqual(worker({ DATABASE_URL }))
    expect(errorsOf(() => worker({ DATABASE_URL: '' }))).toEqual({ DATABASE_URL: 'is required' })
    expect(web({ DATABASE_URL, TOKEN_SIGNING_KEYS: '', TRUSTED_PROXIES: '' })).toEqual(web({ DATABASE_URL }))
  })

  test('ignores unknown variables', () => {
    expect(worker({ DATABASE_URL, PATH: '/bin', TOKEN_SIGNING_KEYS: 'none' })).toEqual(
      worker({ DATABASE_URL }),
    )
  })

  test.each(['3', '003', '500'])('%j is a whole number in its bounds', (value) => {
    expect(readEnv(z.object({ N: integer({ from: 3, to: 500, default: 7 }) }), { N: value }).N).toBe(
      Number(value),
    )
  })

  test.each(['2', '501', '-3', '+3', '3.0', '3 ', ' ', '٣', 'Infinity', '9'.repeat(400)])(
    '%j is not',
    (N) => {
      expect(
        Object.keys(
          errorsOf(() => readEnv(z.object({ N: integer({ from: 3, to: 500, default: 7 }) }), { N })),
        ),
      ).toEqual(['N'])
    },
  )

  test('accepts a certificate in one line, as some platforms store it', () => {
    const DATABASE_CA = '-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----\\n'
    expect(worker({ DATABASE_URL, DATABASE_CA }).DATABASE_CA).toBe(
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    )
  })

  test.each([
    'redis://r.example:6379/1',
    'rediss://:secret@r.example',
    'redis+cluster://r1.example,r2.example:7000',
    'rediss+cluster://inkling:s%40cret@[fd00::1]:6379,[fd00::2]:6379/0',
    'redis+sentinel://s1.example,s2.example:26380/mymaster',
    'rediss+sentinel://inkling:secret@s1.example:26379/mymaster/2?sentinelUsername=a&sentinelPassword=b%26c',
  ])('%s says where Redis is', (REDIS_URL) => {
    expect(worker({ DATABASE_URL, REDIS_URL }).REDIS_URL).toBe(REDIS_URL)
  })

  test.each([
    ['hunter2', 'must be a URL that starts with redis://, rediss://, redis+cluster://'],
    ['http://hunter2', 'must be a URL that starts with redis://'],
    ['redis://hunter2:port', 'must be a URL such as redis://'],
    ['redis+cluster://', 'must be a URL such as redis+cluster://'],
    ['redis+cluster://hunter2,,h', 'must be a URL such as redis+cluster://'],
    ['redis+cluster://hunter2:70000', 'must be a URL such as redis+cluster://'],
    ['redis+cluster://a:b@h@hunter2', 'must be a URL such as redis+cluster://'],
    ['redis+cluster://hunter2/1', 'a cluster has the database 0 only'],
    ['redis+cluster://hunter2?family=6', 'without parameters'],
    ['redis+sentinel://hunter2', 'the name under which they watch Redis'],
    ['redis+sentinel://hunter2/name/x', 'the name under which they watch Redis'],
    [
      'redis+sentinel://hunter2/name?password=hunter2',
      'no parameters but sentinelUsername and sentinelPassword',
    ],
    ['redis+sentinel://u:100%@hunter2/name', 'each % of user, password and name as %25'],
  ])('%s does not', (REDIS_URL, message) => {
    const errors = errorsOf(() => worker({ DATABASE_URL, REDIS_URL }))
    expect(errors).toEqual({ REDIS_URL: expect.stringContaining(message) })
    expect(JSON.stringify(errors)).not.toContain('hunter2')
  })
})

describe('in production', () => {
  const production = {
    NODE_ENV: 'production',
    DATA_ENCRYPTION_KEYS: JSON.stringify({ keys: [makeWrappingJwk()] }),
  }
  const errors = (env: NodeJS.ProcessEnv) => Object.keys(errorsOf(() => worker({ ...env, ...production })))

  test.each([
    { DATABASE_URL },
    { DATABASE_URL: 'postgres://10.0.0.5/inkling' },
    { DATABASE_URL: 'postgres:///inkling?host=db.internal' },
  ])('refuses a Postgres that would be reached over a network without TLS: %o', (env) => {
    expect(errors(env)).toEqual(['DATABASE_URL'])
    expect(errorsOf(() => worker(env))).toEqual({}) // elsewhere it may
  })

  test('refuses such a URL of the owner', () => {
    const local = 'postgres://localhost/inkling'
    expect(errors({ DATABASE_URL: local, DATABASE_OWNER_URL: DATABASE_URL })).toEqual(['DATABASE_OWNER_URL'])
  })

  test('refuses such a Redis, and says what to set', () => {
    const env = {
      DATABASE_URL: 'postgres://localhost/inkling',
      REDIS_URL: 'redis://:secret@cache.example:6379',
    }
    expect(errorsOf(() => worker({ ...env, ...production }))).toEqual({
      REDIS_URL:
        'would be reached over the network without TLS: set REDIS_TLS=verified, or REDIS_TLS=off for a private network',
    })
  })

  test.each(['redis+cluster://127.0.0.1:7000,cache.example:7000', 'redis+sentinel://cache.example/name'])(
    'refuses several of which one would be reached so: %s',
    (REDIS_URL) => {
      expect(errors({ DATABASE_URL: 'postgres://localhost/inkling', REDIS_URL })).toEqual(['REDIS_URL'])
    },
  )

  test.each([
    { DATABASE_URL, DATABASE_TLS: 'off' },
    { DATABASE_URL, DATABASE_TLS: 'unverified' },
    { DATABASE_URL: `${DATABASE_URL}?sslmode=require` },
    { DATABASE_URL: 'postgres://127.0.0.1:5432/inkling' },
    { DATABASE_URL: 'postgres://[::1]/inkling' },
    { DATABASE_URL: 'postgres:///inkling?host=/run/postgresql' },
    { DATABASE_URL: 'postgres://localhost/inkling', REDIS_URL: 'rediss://cache.example' },
    { DATABASE_URL: 'postgres://localhost/inkling', REDIS_URL: 'redis://localhost' },
    { DATABASE_URL: 'postgres://localhost/inkling', REDIS_URL: 'redis+cluster://127.0.0.1:7000,[::1]:7001' },
    { DATABASE_URL: 'postgres://localhost/inkling', REDIS_URL: 'rediss+sentinel://a.example,b.example/name' },
  ])('accepts TLS, this machine, and what says off in words: %o', (env) => {
    expect(errors(env)).toEqual([])
  })
})

describe('the web process', () => {
  test('needs its own keys in production, and the error explains how to create one', () => {
    const errors = errorsOf(() => web({ DATABASE_URL, DATABASE_TLS: 'verified', NODE_ENV: 'production' }))
    const DATA_ENCRYPTION_KEYS = expect.stringContaining('scripts/admin data-key create')
    expect(errors).toEqual({
      TOKEN_SIGNING_KEYS: expect.stringContaining('scripts/admin token-key create'),
      DATA_ENCRYPTION_KEYS,
    })
    expect(
      errorsOf(() => worker({ DATABASE_URL, DATABASE_TLS: 'verified', NODE_ENV: 'production' })),
    ).toEqual({ DATA_ENCRYPTION_KEYS })
    expect(web({ DATABASE_URL, NODE_ENV: 'development' }).TOKEN_SIGNING_KEYS).toBeUndefined()
  })

  test('accepts a set of private Ed25519 keys', async () => {
    const keys = [await makeSigningKey(), await makeSigningKey()]
    const wrapping = [makeWrappingJwk(), makeWrappingJwk()]
    const env = {
      ...{
        DATABASE_URL,
        DATABASE_TLS: 'off',
        NODE_ENV: 'production',
        TOKEN_SIGNING_KEYS: JSON.stringify({ keys }),
      },
      DATA_ENCRYPTION_KEYS: JSON.stringify({ keys: wrapping }),
    }
    expect(web(env).TOKEN_SIGNING_KEYS).toEqual(keys)
    expect(worker(env).DATA_ENCRYPTION_KEYS).toEqual(wrapping)
    const [key] = wrapping
    for (const wrong of [[], [key, key], [{ ...key, k: 'AAAA' }], [{ ...key, kid: '' }]]) {
      const errors = errorsOf(() =>
        worker({ DATABASE_URL, DATA_ENCRYPTION_KEYS: JSON.stringify({ keys: wrong }) }),
      )
      expect(errors).toEqual({ DATA_ENCRYPTION_KEYS: expect.stringMatching(/^must be a JSON Web Key Set/) })
      expect(JSON.stringify(errors)).not.toContain(key?.k)
    }
  })

  test('rejects keys that cannot sign, in any environment, without showing them', async () => {
    const { d, kid, ...rest } = await makeSigningKey()
    const wrong = [
      'not json',
      '[]',
      '{"keys":[]}',
      JSON.stringify({ keys: [{ ...rest, kid }] }), // public
      JSON.stringify({ keys: [{ ...rest, d }] }), // without a name
      JSON.stringify({ keys: [{ ...rest, kid, d, crv: 'X25519' }] }),
      JSON.stringify({ ...rest, kid, d }), // a key, not a set
    ]
    for (const TOKEN_SIGNING_KEYS of wrong) {
      const errors = errorsOf(() => web({ DATABASE_URL, TOKEN_SIGNING_KEYS }))
      expect(errors).toEqual({ TOKEN_SIGNING_KEYS: expect.stringMatching(/^must be a JSON Web Key Set/) })
      expect(JSON.stringify(errors)).not.toContain(d)
    }
  })

  test.each([
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, fd00::/8 ,::1', ['10.0.0.0/8', 'fd00::/8', '::1']],
    ['0.0.0.0/0,::/0,', ['0.0.0.0/0', '::/0']],
    [' , ', []],
    [
      'private, 203.0.113.7',
      [
        ...['10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
        ...['::1', 'fc00::/7', '203.0.113.7'],
      ],
    ],
  ])('trusts the proxies at %j', (TRUSTED_PROXIES, networks) => {
    expect(web({ DATABASE_URL, TRUSTED_PROXIES }).TRUSTED_PROXIES).toEqual(networks)
  })

  test.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    'localhost',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '1.2.3.4:80',
    'all',
    'private/8',
    'privately',
  ])('knows no proxies at %j', (TRUSTED_PROXIES) => {
    expect(Object.keys(errorsOf(() => web({ DATABASE_URL, TRUSTED_PROXIES })))).toEqual(['TRUSTED_PROXIES'])
  })

  test('reads the address of clients from one header, whose name is in any case', () => {
    const named = (CLIENT_ADDRESS_HEADER: string) => web({ DATABASE_URL, CLIENT_ADDRESS_HEADER })
    expect(named('X-Forwarded-For').CLIENT_ADDRESS_HEADER).toBe('x-forwarded-for')
    expect(named('Fly-Client-IP').CLIENT_ADDRESS_HEADER).toBe('fly-client-ip')
    for (const name of ['x forwarded', 'Forwarded', 'x-real-ip,x-forwarded-for', '-'])
      expect(Object.keys(errorsOf(() => named(name)))).toEqual(['CLIENT_ADDRESS_HEADER'])
  })
})
