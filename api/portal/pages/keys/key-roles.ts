/** What a key of each role may do, for people. */
export const KEY_ROLES = {
  uploader: { label: 'Uploader', text: 'Uploads datasets and saves Additional Info. Reads nothing.' },
  requester: { label: 'Requester', text: 'Reads insights. Uploads nothing.' },
} as const
