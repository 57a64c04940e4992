import { z } from 'zod'

/** State and id of the last key of a page. */
export const Cursor = z
  .string()
  .regex(/^(live|ended)-\d{1,9}$/, 'must be next of a previous page')
  .transform((cursor) => {
    const [state, id] = cursor.split('-')
    return { live: state === 'live', id: Number(id) }
  })
  .optional()

/** Returns the cursor after a key. */
export const cursorOf = ({ state, id }: { state: string; id: number }): string =>
  `${state === 'live' ? 'live' : 'ended'}-${id}`
