/**
 * What a supervisor and the process that started it tell each other.
 *
 * A supervisor is a small process between us and one server: it is in a process group of its own, so that a Ctrl-C in the
 * terminal reaches only us and the order of stopping is ours; and it stops its server when the channel to us closes,
 * so that nothing is left behind however we end, by SIGKILL too.
 */
export type ToSupervisor =
  | { readonly kind: 'start'; readonly options: unknown }
  | { readonly kind: 'stop' }
  /** At once, without draining. */
  | { readonly kind: 'kill' }

export type FromSupervisor =
  | { readonly kind: 'ready'; readonly details: unknown }
  /** The server cannot start; `reason` is for its user, or undefined if only the log tells. */
  | { readonly kind: 'refused'; readonly reason: string | undefined }
  /** The server ended though nobody asked it to; `how` completes the sentence "it …". */
  | { readonly kind: 'ended'; readonly how: string }
