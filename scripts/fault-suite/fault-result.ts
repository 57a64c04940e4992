import { z } from 'zod'

const FaultResult = z.object({
  /** As a row of the table: "Redis killed for 30 s". */
  fault: z.string(),
  /** Uploads answered 200. */
  uploads: z.number().default(0),
  /** How often something was killed, taken away or filled up. */
  kills: z.number().default(0),
  /** Faulty inputs that were tried. */
  inputs: z.number().default(0),
  /** Uploads answered 200 without exactly one right insight, and inputs that did harm. */
  lost: z.number(),
})

/** What a test of the fault suite did, and what it cost. */
export type FaultResult = z.output<typeof FaultResult>

/** As a test gives it: what is not there is 0. */
export type FaultResultInput = z.input<typeof FaultResult>

/** A figure on each line, as JSON. */
export const parseFaultResults = (lines: string): FaultResult[] =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => FaultResult.parse(JSON.parse(line)))
