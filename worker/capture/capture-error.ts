/** Error codes of invalid captures. Published: operators filter by them. */
export type CaptureErrorCode =
  | 'not_gzip'
  | 'gzip_truncated'
  | 'gzip_corrupt'
  | 'inflated_too_large'
  | 'not_utf8'
  | 'not_json'
  | 'too_deep'
  | 'too_many_values'
  | 'repeated_member'
  | 'forbidden_member'
  | 'unsupported_format'
  | 'not_a_capture'

/** Permanent error in uploaded data: its dataset becomes invalid. The client reads the message. */
export class CaptureError extends Error {
  override name = 'CaptureError'
  readonly code: CaptureErrorCode

  constructor(code: CaptureErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
