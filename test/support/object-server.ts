/** A server with the API of S3, in processes of its own, with its objects in a temporary directory. */
export interface ObjectServer {
  readonly endpoint: string
  readonly bucket: string
  /** Kills what answers clients; its objects stay. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}
