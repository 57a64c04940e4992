/** Names of limits, in headers and problems. Published: never renamed. */
export const LIMIT_NAMES = [
  ...(['key-requests', 'key-datasets'] as const),
  ...(['subscription-requests', 'subscription-datasets', 'subscription-bytes'] as const),
] as const

export type LimitName = (typeof LIMIT_NAMES)[number]
