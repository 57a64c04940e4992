import { expect, test } from 'vitest'
import { parseRedisUrl } from '../../../db/runtime/redis-url.ts'

test('a server has one host', () => {
  expect(parseRedisUrl('redis://r.example/3')).toMatchObject({
    kind: 'server',
    tls: false,
    hosts: [{ host: 'r.example', port: 6_379 }],
    database: 3,
  })
})

test('a cluster has several hosts, and decoded credentials', () => {
  expect(parseRedisUrl('rediss+cluster://us%65r:p%40ss:w%2Ford@a.example,[fd00::1]:7000')).toMatchObject({
    kind: 'cluster',
    tls: true,
    hosts: [
      { host: 'a.example', port: 6_379 },
      { host: 'fd00::1', port: 7_000 },
    ],
    username: 'user',
    password: 'p@ss:w/ord',
    database: 0,
    master: undefined,
  })
})

test('sentinels have a name, and credentials apart from those of the server', () => {
  const url =
    'redis+sentinel://:secret@a.example,b.example:5000/my%20master/2?sentinelUsername=u&sentinelPassword=p%26w+x'
  expect(parseRedisUrl(url)).toEqual({
    kind: 'sentinel',
    tls: false,
    hosts: [
      { host: 'a.example', port: 26_379 },
      { host: 'b.example', port: 5_000 },
    ],
    username: undefined,
    password: 'secret',
    database: 2,
    master: 'my master',
    sentinelUsername: 'u',
    sentinelPassword: 'p&w+x',
  })
})
