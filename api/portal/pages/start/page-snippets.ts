import type { SiteKey } from '../site-keys/site-key-types.ts'
import { jsonCommand } from './commands.ts'

/** The parts of a site key that the snippets need; placeholders without one. */
export type SnippetKey = Pick<SiteKey, 'key' | 'level' | 'origins'>

export const NO_KEY: SnippetKey = { key: 'pk_…', level: 'claimed', origins: ['https://shop.example'] }

const REFERENCE_NUMBER = 'LN-2027-000042'

/** Members of the start call that identify the capture, by level. */
const IDENTITIES = {
  claimed: [],
  verified: [`token: 'TOKEN_FROM_YOUR_BACKEND',`],
  open: [`referenceNumber: '${REFERENCE_NUMBER}',`],
} as const

/** Loads the SDK and starts it, without reading anything yet. */
export const startSnippet = (baseUrl: string, { key, level }: SnippetKey): string =>
  [
    `<script src="${baseUrl}/sdk/v1.js"></script>`,
    '<script>',
    '  const inkling = Inkling.start({',
    ...[`key: '${key}',`, `endpoint: '${baseUrl}/c',`, ...IDENTITIES[level], `consent: 'pending',`].map(
      (line) => `    ${line}`,
    ),
    '  })',
    '</script>',
  ].join('\n')

export const CONSENT_SNIPPET = `inkling.grant()     // the person agreed: reading begins
inkling.withdraw()  // the person changed their mind: what was sent is erased`

/** Completes the capture when the form is sent. */
export const completeSnippet = ({ level }: SnippetKey): string =>
  level === 'claimed'
    ? `await inkling.complete()
form.elements.collection.value = inkling.id  // your backend claims it`
    : 'await inkling.complete()'

export const policySnippet = (baseUrl: string): string =>
  `Content-Security-Policy: script-src ${baseUrl}; connect-src ${baseUrl}`

/** The backend's part; undefined if there is none. */
export function backendCommand(
  baseUrl: string,
  { level, origins }: SnippetKey,
): { title: string; text: string; command: string } | undefined {
  switch (level) {
    case 'claimed':
      return {
        title: 'Claim',
        text: 'Your backend receives the id with the form, and claims the capture once within 24 hours. From then on it is a dataset.',
        command: jsonCommand(`${baseUrl}/api/collections/v1/claims`, {
          collection: 'c_…',
          referenceNumber: REFERENCE_NUMBER,
        }),
      }
    case 'verified':
      return {
        title: 'Token',
        text: 'Your backend requests a token for each page that it serves, and puts it into the start call. A token opens one capture.',
        command: jsonCommand(`${baseUrl}/api/collections/v1/tokens`, {
          referenceNumber: REFERENCE_NUMBER,
          origin: origins[0],
        }),
      }
    case 'open':
      return undefined
  }
}
