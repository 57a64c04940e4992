/**
 * A capture in object storage cannot be written or read: the store is unavailable or not configured, or the object is missing. A fault of the
 * operator or the storage, never of a client: what needs the capture fails, and can be repeated.
 */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError'
  /** Whether the store answered that it has no such object. */
  readonly isMissing: boolean

  constructor(message: string, { isMissing = false, cause }: { isMissing?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isMissing = isMissing
  }
}

/** Whether object storage is unavailable, so that the same call may succeed later; false where it answered that an object is missing. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.some(isStoreUnavailable)
    : error instanceof ObjectStoreError && !error.isMissing
