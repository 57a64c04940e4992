/**
 * Messages between a supervisor and the process that started it.
 *
 * A supervisor is a small process between the parent and one server. It leads its own process group, so that Ctrl-C reaches
 * only the parent, which controls the order of stopping. It stops its server when the channel to the parent closes, so that
 * nothing is left running even if the parent is killed.
 */
export type ToSupervisor =
  | { readonly kind: 'start'; readonly options: unknown }
  | { readonly kind: 'stop' }
  /** Ends the server without draining. */
  | { readonly kind: 'kill' }

export type FromSupervisor =
  | { readonly kind: 'ready'; readonly details: unknown }
  /** The server could not start; `reason` is for the user, undefined if only the log has it. */
  | { readonly kind: 'failed'; readonly reason: string | undefined }
  /** The server ended unexpectedly; `how` completes the sentence "it …". */
  | { readonly kind: 'ended'; readonly how: string }
