/** Why a capture could not be decoded, for people who did not write the SDK, and how to fix it. */
interface ErrorDescription {
  readonly cause: string
  readonly fix: string
}

const RESEND =
  'Data was lost or changed between the SDK and this service. Have your backend forward the text of the SDK unchanged, and upload again with a new reference number.'
const TOO_LARGE =
  'Captures of the SDK stay far below this limit. Find out what made this one so large. If it is genuine, ask the operator of this service to raise the limit, then reprocess it.'
const ASK_SDK =
  'The SDK writes something that this service does not read. Update the SDK or ask its vendor, then upload a new capture.'

const DESCRIPTIONS: Readonly<Record<string, ErrorDescription>> = {
  not_gzip: {
    cause: 'The data is not a compressed capture: it may be test text, or was encoded twice.',
    fix: RESEND,
  },
  gzip_truncated: { cause: 'The data is truncated: its end is missing.', fix: RESEND },
  gzip_corrupt: { cause: 'The data is corrupt and cannot be decompressed.', fix: RESEND },
  inflated_too_large: { cause: 'The decompressed data is larger than any real capture.', fix: TOO_LARGE },
  not_utf8: { cause: 'The decompressed data is not UTF-8 text.', fix: ASK_SDK },
  not_json: { cause: 'The decompressed data is not JSON.', fix: ASK_SDK },
  too_deep: { cause: 'The capture is nested more deeply than any real one.', fix: TOO_LARGE },
  too_many_values: { cause: 'The capture has more values than any real one.', fix: TOO_LARGE },
  repeated_member: {
    cause: 'The capture has the same member twice, so its value is ambiguous.',
    fix: ASK_SDK,
  },
  forbidden_member: {
    cause: 'The capture has a member name that no SDK writes. It may have been tampered with.',
    fix: ASK_SDK,
  },
  unsupported_format: {
    cause: 'This service does not support the format or version of the capture.',
    fix: 'Check the version of the SDK. If it is newer than this service, ask the operator to update the service, then reprocess the dataset.',
  },
  not_a_capture: { cause: 'Some members of the capture are missing or have the wrong type.', fix: ASK_SDK },
}

/** The known error codes. */
export const ERROR_CODES: readonly string[] = Object.keys(DESCRIPTIONS)

/** Describes an error code; codes of a newer API get a general description. */
export const describeErrorCode = (code: string): ErrorDescription =>
  DESCRIPTIONS[code] ?? { cause: 'The data could not be read as a capture.', fix: ASK_SDK }
