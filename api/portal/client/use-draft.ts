import { useCallback, useState } from 'react'
import type { z } from 'zod'
import { draftKey } from './drafts.ts'
import { useUser } from './session.tsx'

/**
 * Stores the values of a form in this tab, so that they survive the end of a session. Only the same user gets them back; signing
 * out, or signing in as another user, removes them. Not for passwords.
 *
 * @returns the stored draft as `initial`; `save` to call on each change, `remove` to call when the form is done.
 */
export function useDraft<S extends z.ZodType>(
  form: string,
  schema: S,
): { initial: z.output<S> | undefined; save: (values: z.input<S>) => void; remove: () => void } {
  const key = draftKey(useUser().userId, form)
  const [initial] = useState(() => readDraft(key, schema))
  const save = useCallback(
    (values: z.input<S>) => {
      try {
        sessionStorage.setItem(key, JSON.stringify(values))
      } catch {
        sessionStorage.removeItem(key) // browsers store some 5 MB
      }
    },
    [key],
  )
  const remove = useCallback(() => sessionStorage.removeItem(key), [key])
  return { initial, save, remove }
}

function readDraft<S extends z.ZodType>(key: string, schema: S): z.output<S> | undefined {
  const text = sessionStorage.getItem(key)
  return text === null ? undefined : schema.safeParse(JSON.parse(text)).data
}
