import { presentRows } from '../reports/present-rows.ts'
import { CONNECTIONS } from './measure-accept.ts'
import { presentFactor, presentNumber, presentShare, presentSpread } from './numbers.ts'
import { PROCESSOR_TIMES, shareOfBare } from './processor-time.ts'
import { medianOf, type Samples } from './samples.ts'
import { judge, listTargets } from './targets.ts'

/** Formats all results: medians of the rounds and, in brackets, the lowest and highest values. */
export function presentTable(samples: Samples): string {
  const sections = [
    ['Processor time', presentProcessorTime(samples)],
    ['Targets', presentTargets(samples)],
    ['Accept', presentAccept(samples)],
    ['Drain', presentDrain(samples)],
    ['Read', presentRead(samples)],
    ['Absorb', presentAbsorb(samples)],
    ['Limits', presentLimits(samples)],
    ['Deliver', presentDeliver(samples)],
    ['Score', presentScore(samples)],
  ] as const
  return sections.map(([title, table]) => `## ${title}\n\n${table}`).join('\n\n')
}

const PROCESSES = { web: 'web', worker: 'worker', postgres: 'Postgres' } as const

function presentProcessorTime(samples: Samples): string {
  return presentRows(
    ['µs per', 'in', '**Inkling**', 'textbook', 'bare', 'bare work', 'bare work’s share'],
    PROCESSOR_TIMES.map((time) => [
      ...[time.piece, PROCESSES[time.process]],
      ...[time.inkling, time.textbook].map((name) => presentSpread(samples.of(name))),
      time.bare ? presentSpread(samples.of(time.bare.sample)) : '–',
      time.bare?.what ?? 'none',
      presentShare(shareOfBare(samples, time)),
    ]),
  )
}

function presentTargets(samples: Samples): string {
  return presentRows(
    ['target', 'measured', 'at least', 'aim', ''],
    listTargets(samples).map((target) => {
      const { name, measured, atLeast, aim, isMost, present } = target
      const bound = (value: number) => (isMost ? `at most ${present(value)}` : present(value))
      return [name, present(measured), bound(atLeast), aim === undefined ? '' : bound(aim), judge(target)]
    }),
  )
}

const KINDS = ['small', 'typical', 'large'].flatMap((size) =>
  [1, 16, 64, 256].map((connections) => ({ size, connections })),
)

function presentAccept(samples: Samples): string {
  const of = (name: string, metric: string) => samples.of(`${name}: ${metric}`)
  const cells = (name: string) =>
    ['perSecond', 'p50Ms', 'p99Ms', 'webMb'].map((metric) => presentSpread(of(name, metric)))
  const rows = KINDS.flatMap(({ size, connections }) =>
    (['inkling', 'textbook', 'koa'] as const).flatMap((name) => {
      const full = `accept ${name} ${size} ${connections}`
      return of(full, 'perSecond').length === 0
        ? []
        : [[size, String(connections), WHO[name], ...cells(full)]]
    }),
  )
  const copies = [1, 4].map((connections) => [
    ...['typical', String(connections), '`\\copy` into the same table'],
    presentSpread(of(`copy ${connections}`, 'perSecond')),
  ])
  return `${presentRows(['captures', 'connections', '', 'uploads/s', 'p50 ms', 'p99 ms', 'web peak MB'], [...rows, ...copies])}\n\n${presentCores(samples)}`
}

const WHO = { inkling: '**Inkling**', textbook: 'textbook', koa: 'Koa, read and parse only' } as const

/** Describes how the processor time is divided. */
function presentCores(samples: Samples): string {
  const name = `accept inkling typical ${CONNECTIONS}`
  const [web, load] = [samples.median(`${name}: webCores`), samples.median(`${name}: loadCores`)]
  return `At ${CONNECTIONS} connections Inkling's web process used ${presentNumber(web)} cores and the load generator ${presentNumber(load)}; the rest is Postgres, Redis and the kernel.`
}

function presentDrain(samples: Samples): string {
  const rows = [1, 2].map((workers) => {
    const of = (name: string) => samples.of(`${name} ${workers}: perSecond`)
    const ratio = (by: string) =>
      medianOf(samples.ratios(`drain inkling ${workers}: perSecond`, `${by} ${workers}: perSecond`))
    return [
      String(workers),
      ...['drain inkling', 'drain textbook', 'decode'].map((name) => presentSpread(of(name))),
      presentFactor(ratio('drain textbook')),
      presentShare(ratio('decode')),
      presentNumber(samples.median(`drain inkling ${workers}: workerCores`)),
    ]
  })
  return presentRows(
    [
      'worker processes',
      '**Inkling** datasets/s',
      'textbook',
      'decoding alone, same number of threads',
      'vs textbook',
      'share of decoding',
      'cores of Inkling’s workers',
    ],
    rows,
  )
}

function presentRead(samples: Samples): string {
  const rows = ['cached', 'uncached'].flatMap((variant) =>
    [
      ['inkling', '**Inkling**'],
      ['textbook', 'textbook'],
      ['constant', 'Koa, constant of the same size'],
    ].map(([name, who = '']) => {
      const full = `read ${name} ${variant}`
      return [
        variant === 'cached' ? 'known' : 'new',
        who,
        ...['perSecond', 'p50Ms', 'p99Ms'].map((metric) => presentSpread(samples.of(`${full}: ${metric}`))),
      ]
    }),
  )
  return presentRows(['token', '', 'insights/s', 'p50 ms', 'p99 ms'], rows)
}

function presentAbsorb(samples: Samples): string {
  const row = (what: string, name: string) => [
    what,
    ...['inkling', 'textbook'].map((system) => presentSpread(samples.of(name.replace('*', system)))),
  ]
  return presentRows(
    ['', '**Inkling**', 'textbook'],
    [
      row('burst: time to the last 200, s', 'absorb *: acceptedS'),
      row('burst: time to the last insight, s', 'absorb *: drainedS'),
      row('burst: p99 of an upload, ms', 'absorb *: p99Ms'),
      row('burst: peak memory of web, MB', 'absorb *: webMb'),
      row('burst: peak memory of worker, MB', 'absorb *: workerMb'),
      row('idle: upload to insight ready, p50 ms', 'idle *: p50Ms'),
      row('idle: upload to insight ready, p99 ms', 'idle *: p99Ms'),
      row('flood by another subscription: single upload, p50 ms', 'flood *: singleP50Ms'),
      row('flood by another subscription: single upload, p99 ms', 'flood *: singleP99Ms'),
    ],
  )
}

function presentLimits(samples: Samples): string {
  const rows = (['off', 'set'] as const).map((limits) => [
    limits === 'off' ? 'no limits' : 'all limits, not reached',
    ...['perSecond', 'p50Ms', 'p99Ms', 'webMs'].map((metric) =>
      presentSpread(samples.of(`limits ${limits}: ${metric}`)),
    ),
  ])
  const ratios = ['perSecond', 'webMs'].map((metric) =>
    presentShare(medianOf(samples.ratios(`limits set: ${metric}`, `limits off: ${metric}`))),
  )
  return presentRows(
    ['', 'uploads/s', 'p50 ms', 'p99 ms', 'processor time of web, ms an upload'],
    [...rows, ['with limits to without', ratios[0] ?? '', '', '', ratios[1] ?? '']],
  )
}

function presentDeliver(samples: Samples): string {
  const share = medianOf(samples.ratios('deliver with: drainPerSecond', 'deliver without: drainPerSecond'))
  return presentRows(
    ['', '**Inkling**'],
    [
      ['drain without a webhook, datasets/s', presentSpread(samples.of('deliver without: drainPerSecond'))],
      [
        'drain with a webhook for all events, datasets/s',
        presentSpread(samples.of('deliver with: drainPerSecond')),
      ],
      ['with a webhook to without', presentShare(share)],
      [
        'events that wait, delivered by one worker, events/s',
        presentSpread(samples.of('deliver replay: perSecond')),
      ],
      [
        'processor time of worker and of Postgres for each of them, µs',
        ['workerUs', 'postgresUs']
          .map((metric) => presentSpread(samples.of(`deliver replay: ${metric}`)))
          .join(' and '),
      ],
      [
        'settled to delivered, one upload at a time, p50 ms',
        presentSpread(samples.of('deliver idle: p50Ms')),
      ],
    ],
  )
}

const SCORED = [
  ['points', 'points card of 15 characteristics'],
  ['trees', '300 trees, 6 splits deep'],
] as const

function presentScore(samples: Samples): string {
  const rows = SCORED.map(([kind, what]) => {
    const [inkling, textbook] = [`score ${kind} inkling: perSecond`, `score ${kind} textbook: perSecond`]
    return [
      what,
      presentSpread(samples.of(inkling)),
      presentSpread(samples.of(textbook)),
      presentFactor(medianOf(samples.ratios(inkling, textbook))),
    ]
  })
  return presentRows(['rows/s per core', '**Inkling**', 'naive', 'vs naive'], rows)
}
