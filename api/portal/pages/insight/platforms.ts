/** How the platform of a capture is called. */
export const PLATFORM_NAMES = { android: 'Android', ios: 'iOS', web: 'Web' } as const
