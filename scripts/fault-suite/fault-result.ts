import { z } from 'zod'

const FaultResult = z.object({
  /** The label of the row, for example "Redis killed for 30 s". */
  fault: z.string(),
  /** Uploads answered with 200. */
  uploads: z.number().default(0),
  /** Number of injected faults: kills, outages and full disks. */
  kills: z.number().default(0),
  /** Malformed inputs that were sent. */
  inputs: z.number().default(0),
  /** Uploads answered with 200 without exactly one correct insight, and inputs that caused damage. */
  lost: z.number(),
})

/** The result of one test of the fault suite. */
export type FaultResult = z.output<typeof FaultResult>

/** Input of a test; missing numbers are 0. */
export type FaultResultInput = z.input<typeof FaultResult>

/** Parses JSON lines. */
export const parseFaultResults = (lines: string): FaultResult[] =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => FaultResult.parse(JSON.parse(line)))
