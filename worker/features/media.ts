import type { CaptureInput, Extracted } from './extractor.ts'
import { spanDays } from './timestamps.ts'

export function extractMedia({
  capture: { collectedAt, media },
}: CaptureInput): Extracted<'media_images_count' | 'media_images_span_days' | 'media_video_count'> {
  return {
    media_images_count: media?.images?.count,
    media_images_span_days: spanDays(media?.images, collectedAt),
    media_video_count: media?.video?.count,
  }
}
