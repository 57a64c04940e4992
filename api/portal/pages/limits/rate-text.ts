import { countText } from '../../parts/formats.ts'

/** A limit of requests: 50, 500 at once. */
export const rateText = ({ perSecond, burst }: { perSecond: number | null; burst: number | null }): string =>
  perSecond === null ? 'no limit' : `${countText(perSecond)}, ${countText(burst ?? perSecond)} at once`
