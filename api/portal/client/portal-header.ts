/** CSRF guard: session cookies count only with this header, which forms and images of other sites cannot send. */
export const PORTAL_HEADER = { 'X-Inkling-Portal': '1' }
