import { pipeline } from 'node:stream/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { PLATFORMS, type Platform } from '../db/capture/capture.ts'
import { encodeCapture } from './captures/encode-capture.ts'
import { type GenerateOptions, generateCaptures } from './captures/generate-captures.ts'

interface Flags {
  seed: string
  count: number
  size: NonNullable<GenerateOptions['size']>
  platform?: Platform
  format: 'uploads' | 'captures'
  policy: NonNullable<GenerateOptions['policy']>
}

const EXAMPLES = `
Examples:
  scripts/generate --count 1000 --seed 42 > uploads.ndjson
  scripts/generate --count 1 --platform ios --format captures | jq .device
  scripts/generate --size small --count 1 |
    curl -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' --data-binary @- \\
      http://localhost:3000/api/datasets/v1/upload`

const flags = new Command('scripts/generate')
  .description(
    'Generates synthetic uploads, one JSON object per line; the same seed gives the same people and devices.',
  )
  .option('--seed <seed>', 'seed: any text or number', '1')
  .option('--count <n>', 'number of uploads', parseCount, 10)
  .addOption(
    new Option('--size <size>', 'small is about 3 KB of base64, typical 15 to 25 KB, large 150 to 300 KB')
      .choices(['small', 'typical', 'large', 'mixed'])
      .default('mixed'),
  )
  .addOption(new Option('--platform <name>', 'only this platform; by default all three').choices(PLATFORMS))
  .addOption(
    new Option('--format <format>', 'print upload bodies, or their decoded captures')
      .choices(['uploads', 'captures'])
      .default('uploads'),
  )
  .addOption(
    new Option(
      '--policy <name>',
      'stores: apps obey Google Play and Apple; none: captures have every section',
    )
      .choices(['stores', 'none'])
      .default('stores'),
  )
  .addHelpText('after', EXAMPLES)
  .parse()
  .opts<Flags>()

/** Generates lines lazily, as the reader consumes them. */
function* writeLines(): Generator<string> {
  const platforms = flags.platform && { [flags.platform]: 1 }
  const { seed, count, size, policy } = flags
  for (const { capture, ...rest } of generateCaptures({
    seed,
    count,
    size,
    policy,
    ...(platforms && { platforms }),
  })) {
    const line = flags.format === 'captures' ? capture : { ...rest, data: encodeCapture(capture) }
    yield `${JSON.stringify(line)}\n`
  }
}

function parseCount(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('Give a whole number of at most 9 digits.')
  return Number(value)
}

try {
  await pipeline(writeLines, process.stdout, { end: false })
} catch (error) {
  // The reader, such as `head`, closed the pipe.
  if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
}
