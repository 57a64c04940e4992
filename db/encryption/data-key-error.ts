/**
 * Stored data cannot be encrypted or decrypted: a key is missing, another one, or destroyed; or the data is not what was stored in its row.
 * A fault of the operator or the storage, never of a client: what needs the data fails, and can be repeated.
 */
export class DataKeyError extends Error {
  override name = 'DataKeyError'
}
