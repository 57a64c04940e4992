/** Bytes that are invalid UTF-8, significant in gzip, or break JSON syntax. */
export const UNUSUAL_BYTES: readonly Uint8Array[] = [
  [0xff],
  [0xc0, 0x80], // NUL, overlong
  [0xc0, 0xaf],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80], // half of a surrogate pair
  [0xf4, 0x90, 0x80, 0x80], // beyond Unicode
  [0xef, 0xbb, 0xbf], // byte order mark
  [0x00],
  [0x1b, 0x5b, 0x33, 0x31, 0x6d], // ANSI escape
  [0x1f, 0x8b],
  [0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03],
  [0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00], // the rest of an empty member
  ...['"', '{', '}', '[', ']', ',', ':', '\\', '-', 'e9', 'null', '"a":1,', '\\ud800', '\\u0000'].map(
    (text) => [...Buffer.from(text)],
  ),
].map((bytes) => Uint8Array.from(bytes))

/** JSON values that are often mishandled, and texts that resemble JSON but are invalid. */
export const UNUSUAL_JSON: readonly string[] = [
  ...['null', 'true', 'false', '0', '-0', '1', '-1', '0.5', '""', '[]', '{}', '[null]', '[[]]', '{"":""}'],
  ...['1e999', '-1e999', '1e-999', '1e308', '5e-324', '9007199254740991', '9007199254740993', '1E2', '1.0'],
  ...['9'.repeat(400), `-${'9'.repeat(400)}`, `0.${'1'.repeat(400)}`, `1e${'9'.repeat(400)}`],
  ...[
    'NaN',
    'Infinity',
    'undefined',
    '01',
    '+1',
    '.5',
    '1.',
    '0x10',
    "'a'",
    '"',
    '"\n"',
    '"\t"',
    '"\\x"',
    '/**/1',
    '1,',
    ',',
  ],
  ...[
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"\u0000"',
    '"\u001b[2J"',
    '"\u2028"',
    '"\ufeff"',
    '"__proto__"',
  ],
  ...[
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"\\u005f_proto__":1}',
  ],
  ...[
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"toString":1,"valueOf":2,"hasOwnProperty":3,"length":4}',
    '{"then":1}',
  ],
  ...[31, 32, 33, 100, 5_000].flatMap((deep) => [
    `${'['.repeat(deep)}${']'.repeat(deep)}`,
    `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`,
  ]),
  ...[999, 1_000, 1_001, 4_001, 100_000].map((length) => `"${'x'.repeat(length)}"`),
  `"${'😀'.repeat(500)}"`,
  `"${'😀'.repeat(1_000)}"`,
  `[${'0,'.repeat(20_000)}0]`,
  `[${'{},'.repeat(6_000)}{}]`,
  `{${Array.from({ length: 2_000 }, (_, n) => `"k${n}":${n}`).join(',')}}`,
  ...[
    ...[
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999999999+14:00',
      '2026-02-30T00:00:00Z',
      '2026-11-20T24:00:00Z',
    ],
    ...[
      '+275760-09-13T00:00:00Z',
      '2016-12-31T23:59:60Z',
      '2026-11-20T08:15:30',
      '1763626530',
      '2024-02-29T00:00:00-23:59',
    ],
    ...[
      'android',
      'ios',
      'web',
      'capture/1',
      'key',
      'touch',
      'pointer',
      'sensor',
      'focus',
      'Asia/Manila',
      'No/Where',
      'en-PH',
      'x-',
    ],
  ].map((text) => JSON.stringify(text)),
]

/** Member names as JSON. */
export const UNUSUAL_NAMES: readonly string[] = [
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'length',
    '0',
    '-1',
    '',
    ' ',
    '\0',
  ],
  ...[
    '\ud800',
    '😀',
    'a\nb',
    '\u001b[31m',
    'x'.repeat(2_000),
    'format',
    'platform',
    'device',
    'events',
    't',
    'count',
    'Device',
  ],
].map((text) => JSON.stringify(text))
