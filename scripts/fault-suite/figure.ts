import { z } from 'zod'

const Figure = z.object({
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
export type Figure = z.output<typeof Figure>

/** As a test gives it: what is not there is 0. */
export type FigureInput = z.input<typeof Figure>

/** A figure on each line, as JSON. */
export const parseFigures = (lines: string): Figure[] =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => Figure.parse(JSON.parse(line)))
