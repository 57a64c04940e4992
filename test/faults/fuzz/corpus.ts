import { generateCaptures } from '../../../scripts/captures/generate-captures.ts'
import { aCapture } from '../../support/captures.ts'

/** The minimal capture, then realistic captures of each platform and size, the small ones first. */
export const CORPUS: readonly object[] = [
  aCapture(),
  ...(['android', 'ios', 'web'] as const).flatMap((platform) => captures(platform, 'small', 4)),
  ...(['android', 'ios', 'web'] as const).flatMap((platform) => captures(platform, 'typical', 2)),
]

export const JSON_OF_CORPUS: readonly Buffer[] = CORPUS.map((capture) => Buffer.from(JSON.stringify(capture)))

function captures(platform: 'android' | 'ios' | 'web', size: 'small' | 'typical', count: number): object[] {
  const generated = generateCaptures({ seed: `fuzz ${platform}`, count, size, platforms: { [platform]: 1 } })
  return [...generated].map(({ capture }) => capture)
}
