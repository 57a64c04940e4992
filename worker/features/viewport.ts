import type { CaptureInput, Extracted } from './extractor.ts'

/** Sizes are rounded to logical pixels on both sides. */
const TOLERANCE_PX = 2

/**
 * Whether the page's part of the window fits on the screen; a headless browser's often does not.
 *
 * Longer and shorter sides are compared, as iOS reports its screens in portrait. A screen or viewport without an area counts
 * as missing. Also false in Chromium for a page that the user zoomed out.
 */
export function extractViewport({ capture: { web } }: CaptureInput): Extracted<'web_viewport_fits_screen'> {
  const { screen, viewport } = web ?? {}
  if (!screen?.widthPx || !screen.heightPx || !viewport?.widthPx || !viewport.heightPx)
    return { web_viewport_fits_screen: undefined }

  const density = screen.density || 1
  const fits = (pick: (...sides: number[]) => number) =>
    pick(viewport.widthPx, viewport.heightPx) <=
    pick(screen.widthPx, screen.heightPx) / density + TOLERANCE_PX
  return { web_viewport_fits_screen: fits(Math.max) && fits(Math.min) }
}
