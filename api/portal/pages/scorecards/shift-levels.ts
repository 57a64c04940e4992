/** Labels of the usual thresholds of the population stability index. */
export const SHIFT_LEVELS = {
  stable: { color: 'teal', label: 'stable', meaning: 'below 0.10: no significant shift' },
  shifting: { color: 'orange', label: 'shifting', meaning: '0.10 to 0.25: investigate' },
  shifted: { color: 'red', label: 'shifted', meaning: '0.25 or more: different population or scale' },
} as const
