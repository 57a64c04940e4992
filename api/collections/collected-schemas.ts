import { z } from 'zod'

/** How a collection got its reference number. */
export const CollectionLevel = z.enum(['open', 'claimed', 'verified']).meta({
  description:
    'Who gave the reference number. open: the page itself, which proves nothing; claimed: the backend, after the collection was opened; ' +
    'verified: the backend, by a token, before it was opened',
  examples: ['claimed'],
})

export const CollectionOrigin = z.string().meta({
  description: 'Origin of the page, as its browser sent it',
  examples: ['https://shop.example'],
})
