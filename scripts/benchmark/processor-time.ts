import { CONNECTIONS } from './measure-accept.ts'
import { medianOf, type Samples } from './samples.ts'

/** The processor time that one kind of process spends on a piece of work, beside the same work done bare. */
export interface ProcessorTime {
  readonly piece: 'upload' | 'dataset' | 'read'
  readonly process: 'web' | 'worker' | 'postgres'
  /** Names of samples in microseconds per piece. */
  readonly inkling: string
  readonly textbook: string
  /** undefined where nothing has to be done. */
  readonly bare: { readonly what: string; readonly sample: string } | undefined
  /** Share of the bare work in Inkling's time: the least, and the aim. */
  readonly target?: { readonly atLeast: number; readonly aim: number }
}

const upload = (system: string) => `accept ${system} typical ${CONNECTIONS}`

export const PROCESSOR_TIMES: readonly ProcessorTime[] = [
  {
    ...{ piece: 'upload', process: 'web' },
    ...{ inkling: `${upload('inkling')}: webUs`, textbook: `${upload('textbook')}: webUs` },
    bare: { what: 'Koa that only reads and parses', sample: `${upload('koa')}: webUs` },
    target: { atLeast: 0.4, aim: 0.7 },
  },
  {
    ...{ piece: 'upload', process: 'postgres' },
    ...{ inkling: `${upload('inkling')}: postgresUs`, textbook: `${upload('textbook')}: postgresUs` },
    bare: { what: '`\\copy` of the same bytes', sample: 'copy 1: postgresUs' },
    target: { atLeast: 0.7, aim: 0.9 },
  },
  {
    ...{ piece: 'dataset', process: 'worker' },
    ...{ inkling: 'drain inkling 1: workerUs', textbook: 'drain textbook 1: workerUs' },
    bare: { what: 'gunzip and `JSON.parse`', sample: 'bare dataset: workerUs' },
    target: { atLeast: 0.3, aim: 0.45 },
  },
  {
    ...{ piece: 'dataset', process: 'postgres' },
    ...{ inkling: 'drain inkling 1: postgresUs', textbook: 'drain textbook 1: postgresUs' },
    bare: { what: 'insert of the same insights', sample: 'bare dataset: postgresUs' },
    target: { atLeast: 0.25, aim: 0.4 },
  },
  {
    ...{ piece: 'read', process: 'web' },
    ...{ inkling: 'read inkling cached: webUs', textbook: 'read textbook cached: webUs' },
    bare: { what: 'Koa, constant of the same size', sample: 'read constant cached: webUs' },
    target: { atLeast: 0.4, aim: 0.65 },
  },
  {
    ...{ piece: 'read', process: 'postgres' },
    ...{ inkling: 'read inkling cached: postgresUs', textbook: 'read textbook cached: postgresUs' },
    bare: undefined,
  },
]

/** Returns the share of the bare work in Inkling's processor time, the median of the rounds; NaN if not measured. */
export const shareOfBare = (samples: Samples, { inkling, bare }: ProcessorTime): number =>
  bare ? medianOf(samples.ratios(bare.sample, inkling)) : Number.NaN
