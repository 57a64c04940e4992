import { useCallback, useState } from 'react'
import type { z } from 'zod'
import { draftKey } from './drafts.ts'
import { useUser } from './session.tsx'

/**
 * Keeps what is typed into a form in this tab, so that it survives the end of a session. Only its own user gets it back; signing out,
 * or signing in as somebody else, removes it. Not for passwords.
 *
 * @returns `initial`, the draft that was kept, if any; `keep` and `forget`, to call when values change, and when the form is done.
 */
export function useDraft<S extends z.ZodType>(
  form: string,
  schema: S,
): { initial: z.output<S> | undefined; keep: (values: z.input<S>) => void; forget: () => void } {
  const key = draftKey(useUser().userId, form)
  const [initial] = useState(() => readDraft(key, schema))
  const keep = useCallback(
    (values: z.input<S>) => {
      try {
        sessionStorage.setItem(key, JSON.stringify(values))
      } catch {
        sessionStorage.removeItem(key) // larger than a browser keeps: some 5 MB
      }
    },
    [key],
  )
  const forget = useCallback(() => sessionStorage.removeItem(key), [key])
  return { initial, keep, forget }
}

function readDraft<S extends z.ZodType>(key: string, schema: S): z.output<S> | undefined {
  const text = sessionStorage.getItem(key)
  return text === null ? undefined : schema.safeParse(JSON.parse(text)).data
}
