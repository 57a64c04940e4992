/** Upper bound of an access token's lifetime, whatever the configuration. */
export const MAX_TOKEN_MINUTES = 1_440
