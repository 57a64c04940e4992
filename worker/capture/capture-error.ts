/** Why a blob holds no capture. Published: operators select by it. */
export type CaptureFault =
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

/** The uploaded data is at fault, for good: its dataset is invalid. The message is for the client to read. */
export class CaptureError extends Error {
  override name = 'CaptureError'
  readonly code: CaptureFault

  constructor(code: CaptureFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
