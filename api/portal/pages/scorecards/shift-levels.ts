/** What a stability index means, by the marks that the field uses; never told by the colour alone. */
export const SHIFT_LEVELS = {
  stable: { color: 'teal', word: 'stable', text: 'below 0.10: no shift to speak of' },
  shifting: { color: 'orange', word: 'shifting', text: '0.10 to 0.25: a shift to look into' },
  shifted: { color: 'red', word: 'shifted', text: '0.25 and more: another population or another scale' },
} as const
