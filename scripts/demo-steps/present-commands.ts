import type { Credentials } from './credentials.ts'

/** Formats shell commands that show every part of the API on the running demo. */
export function presentCommands(demo: {
  baseUrl: string
  /** The page of a lender whose users it captures. */
  applicationUrl: string
  databaseUrl: string
  /** undefined if the queue is in Postgres. */
  redisUrl: string | undefined
  credentials: Credentials
  /** The file with the body of an upload, and its reference number. */
  sample: { readonly file: string; readonly referenceNumber: string }
}): string {
  const { baseUrl, credentials, sample } = demo
  const curl = String.raw`curl -sw '\n'` // responses end without a newline
  const json = `-H 'Content-Type: application/json'`
  const uploader = `-H 'Authorization: Bearer ${credentials.uploaderKey}'`
  const info = { referenceNumber: sample.referenceNumber, additionalInfo: { clientId: 'client-1' } }
  return `
Portal         ${baseUrl}
Login          ${credentials.login.userEmail}
Password       ${credentials.login.password}

Application    ${demo.applicationUrl} (a form that captures how it is filled in)
Documentation  ${baseUrl}/docs
Uploader key   ${credentials.uploaderKey}
Requester key  ${credentials.requesterKey}

# Sign in: the token authorises reading insight
TOKEN=$(curl -s ${baseUrl}/api/account/v1/login ${json} \\
  -d '${JSON.stringify(credentials.login)}' | sed 's/.*"access_token": *"\\([^"]*\\)".*/\\1/')

# Upload a dataset
${curl} ${baseUrl}/api/datasets/v1/upload ${uploader} \\
  ${json} -d @${quote(sample.file)}

# Save Additional Info for it
${curl} ${baseUrl}/api/datasets/v1/additionalinfo ${uploader} \\
  ${json} -d '${JSON.stringify(info)}'

# Read its insight, as a person and as another system
${curl} ${baseUrl}/v6.0/datasets/${sample.referenceNumber}/datasetinsight -H "Authorization: Bearer $TOKEN"
${curl} ${baseUrl}/api/insights/v1/${sample.referenceNumber} \\
  -H 'Authorization: Bearer ${credentials.requesterKey}'

# List the features that scorecards can use, and get the OpenAPI document
${curl} ${baseUrl}/features
${curl} ${baseUrl}/openapi.json

# Use the operator's command on the demo
export DATABASE_URL=${quote(demo.databaseUrl)} REDIS_URL=${quote(demo.redisUrl ?? '')}
scripts/admin scorecard list ${credentials.subscription.name}
`
}

/** Quotes a text for a shell. */
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
