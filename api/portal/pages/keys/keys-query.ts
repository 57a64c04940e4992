/** What lists of keys are remembered under. */
export const KEYS_QUERY = ['get', '/api/keys/v1'] as const
