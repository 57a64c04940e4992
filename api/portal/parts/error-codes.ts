/** Why data could not be decoded, in words for people who did not write the SDK, and what to do about it. */
interface InvalidReason {
  readonly why: string
  readonly todo: string
}

const SEND_AGAIN =
  'Data was lost or changed on its way from the SDK. Have your backend pass on the text of the SDK as it is, and upload again under a new reference number.'
const TOO_BIG =
  'Captures of the SDK stay far below this bound. Find out what made this one; if it is real, ask whoever operates this service to raise the bound and process it again.'
const ASK_SDK =
  'The SDK that made it writes something else than this service reads. Update the SDK or ask its vendor, then upload a new capture.'

const REASONS: Readonly<Record<string, InvalidReason>> = {
  not_gzip: {
    why: 'The data is no compressed capture at all: it may be a test text, or was encoded twice.',
    todo: SEND_AGAIN,
  },
  gzip_truncated: { why: 'The data ends too early: a part of it is missing.', todo: SEND_AGAIN },
  gzip_corrupt: { why: 'The data was damaged: it cannot be unpacked.', todo: SEND_AGAIN },
  inflated_too_large: { why: 'Unpacked, the data is larger than any real capture.', todo: TOO_BIG },
  not_utf8: { why: 'The unpacked data is no text in UTF-8.', todo: ASK_SDK },
  not_json: { why: 'The unpacked data is no JSON.', todo: ASK_SDK },
  too_deep: { why: 'The capture is nested deeper than any real one.', todo: TOO_BIG },
  too_many_values: { why: 'The capture has more values than any real one.', todo: TOO_BIG },
  repeated_member: {
    why: 'The capture says the same thing twice, so it is not clear which one holds.',
    todo: ASK_SDK,
  },
  forbidden_member: {
    why: 'The capture has a name in it that no SDK writes; somebody may have tampered with it.',
    todo: ASK_SDK,
  },
  unsupported_format: {
    why: 'The capture is of a format or version that this service does not know.',
    todo: 'Check the version of the SDK. If it is newer than this service, ask whoever operates it to update it and process the dataset again.',
  },
  not_a_capture: { why: 'Some parts of the capture are not what they should be.', todo: ASK_SDK },
}

/** The words for a code; of one that this page does not know yet, general ones. */
export const describeErrorCode = (code: string): InvalidReason =>
  REASONS[code] ?? { why: 'The data could not be read as a capture.', todo: ASK_SDK }
