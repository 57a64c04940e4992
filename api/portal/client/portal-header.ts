/** Beside which alone cookies count: a form or a picture of another site cannot send one. */
export const PORTAL_HEADER = { 'X-Inkling-Portal': '1' }
