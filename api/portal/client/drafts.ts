const PREFIX = 'inkling.draft.'

/** Where this tab keeps the draft of a user's form. */
export const draftKey = (userId: number, form: string): string => `${PREFIX}${userId}.${form}`

/** Removes the drafts of everybody, or of everybody but one user. */
export function removeDrafts(but?: number): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${but}.`)) sessionStorage.removeItem(key)
}
