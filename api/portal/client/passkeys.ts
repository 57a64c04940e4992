/** Whether this browser can use passkeys on this page: over HTTPS or on localhost. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === 'function'
