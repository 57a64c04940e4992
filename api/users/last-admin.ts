/** Detail of the conflict of a change that would leave no admin who can sign in. */
export const LAST_ADMIN = 'This is the last active admin; make another user an admin first'
