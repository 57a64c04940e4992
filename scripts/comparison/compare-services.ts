import { setTimeout as delay } from 'node:timers/promises'
import { type ComparedService, describeOutcome, type Outcome } from './compared-service.ts'
import { type Difference, listDifferences } from './list-differences.ts'
import type { SourceUpload } from './read-uploads.ts'

/** The result of one upload to both services. */
export interface Comparison {
  readonly referenceNumber: string
  /** Name of the upload. */
  readonly source: string
  readonly differences: readonly Difference[]
}

export interface ComparisonOptions {
  /** Begins each reference number. */
  readonly prefix: string
  /** Uploads a second. */
  readonly rate: number
  /** JSON pointers of members of the insight that are not compared, with everything below them. */
  readonly ignored: readonly string[]
  /** The largest difference of two numbers that count as equal. */
  readonly tolerance: number
}

/** Members that differ in any two calls. */
export const ALWAYS_IGNORED = ['/requestedDate', '/requestor', '/datasetInfo/uploadDate']

/**
 * Sends each upload to both services and compares their insights. One upload is finished before the next begins, so that both count
 * devices and clients in the same order.
 *
 * @throws UserError if a service cannot be reached.
 */
export async function* compareServices(
  uploads: readonly SourceUpload[],
  [left, right]: readonly [ComparedService, ComparedService],
  { prefix, rate, ignored, tolerance }: ComparisonOptions,
): AsyncGenerator<Comparison> {
  const isIgnored = (pointer: string) =>
    [...ALWAYS_IGNORED, ...ignored].some((one) => `${pointer}/`.startsWith(`${one}/`))
  for (const [at, { name, ...upload }] of uploads.entries()) {
    const pause = delay(1_000 / rate)
    const referenceNumber = `${prefix}-${at + 1}`
    const run = (service: ComparedService) => runUpload(service, { referenceNumber, ...upload })
    const [one, other] = await Promise.all([run(left), run(right)])
    const differences = listDifferences(one, other, tolerance).filter(({ pointer }) => !isIgnored(pointer))
    yield { referenceNumber, source: name, differences }
    if (at < uploads.length - 1) await pause
  }
}

/** Returns the insight of an upload or, where there is none, the status and title of the error in its place. */
async function runUpload(
  service: ComparedService,
  upload: { readonly referenceNumber: string },
): Promise<unknown> {
  const receipt = await service.upload(upload)
  if (receipt.status !== 200) return { upload: describeOutcome(receipt) }
  const insight = await service.readInsight(upload.referenceNumber)
  return isInsight(insight) ? insight.body : { insight: describeOutcome(insight) }
}

const isInsight = ({ status, body }: Outcome) => status === 200 && typeof body === 'object' && body !== null
