/** Query key of the list of keys. */
export const KEYS_QUERY = ['get', '/api/keys/v1'] as const
