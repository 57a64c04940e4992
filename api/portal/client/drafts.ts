const PREFIX = 'inkling.draft.'

/** Key of a user's form draft in this tab's session storage. */
export const draftKey = (userId: number, form: string): string => `${PREFIX}${userId}.${form}`

/** Removes the drafts of all users, or of all users except one. */
export function removeDrafts(exceptUserId?: number): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${exceptUserId}.`)) sessionStorage.removeItem(key)
}
