import type { Actor } from '../../db/audit/actor.ts'
import type { Caller } from './endpoint.ts'

/** Returns a caller as records keep it; undefined for pages and without a credential. */
export function actorOf(caller: Caller | undefined, address: string | undefined): Actor | undefined {
  switch (caller?.kind) {
    case 'login':
      return { kind: 'user', id: caller.userId, name: caller.email, address }
    case 'key':
      return { kind: 'key', id: caller.keyId, name: caller.label ?? '', address }
    default:
      return undefined
  }
}
