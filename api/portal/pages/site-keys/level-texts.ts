/** Description of each level, in the order of the form. */
export const LEVEL_TEXTS = {
  claimed:
    'Your backend claims each capture and gives it its reference number, within 24 hours. The page chooses nothing.',
  verified:
    'Your backend requests a token for each capture; without one, a page cannot send any. The strictest level.',
  open: 'The page gives the reference number, so that anybody who opens the page can choose it. Only for pages without a backend.',
} as const
