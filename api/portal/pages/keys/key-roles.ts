/** Label and description of each key role. */
export const KEY_ROLES = {
  uploader: { label: 'Uploader', text: 'Uploads datasets and saves Additional Info. Cannot read.' },
  requester: { label: 'Requester', text: 'Reads insights. Cannot upload.' },
} as const
