/** Environment variables of the keys in the commands. */
export const VARIABLES = { uploader: 'INKLING_KEY', requester: 'INKLING_READ_KEY' } as const

const JSON_TYPE = `-H 'Content-Type: application/json'`

/** Quotes a text for a shell. */
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const lines = (...parts: string[]) => parts.join(' \\\n  ')

const bearer = (role: keyof typeof VARIABLES) => `-H "Authorization: Bearer $${VARIABLES[role]}"`

/** Sets the variable of a key for the following commands. */
export const exportCommand = (role: keyof typeof VARIABLES, key: string | undefined): string =>
  `export ${VARIABLES[role]}=${key ?? 'ink_…'}`

/** Posts JSON with the uploader key. */
export const jsonCommand = (url: string, body: object): string =>
  lines(`curl ${url}`, bearer('uploader'), JSON_TYPE, `-d ${quote(JSON.stringify(body))}`)

export const uploadCommand = (baseUrl: string, upload: { referenceNumber: string; data: string }): string =>
  jsonCommand(`${baseUrl}/api/datasets/v1/upload`, upload)

export const infoCommand = (baseUrl: string, referenceNumber: string): string =>
  jsonCommand(`${baseUrl}/api/datasets/v1/additionalinfo`, {
    referenceNumber,
    additionalInfo: { clientId: 'C-1042' },
  })

export const insightCommand = (baseUrl: string, referenceNumber: string): string =>
  lines(`curl ${baseUrl}/api/insights/v1/${encodeURIComponent(referenceNumber)}`, bearer('requester'))
