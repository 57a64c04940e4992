import type { SecondFactor } from '../../client/api-problem.ts'

/** Reads what a user who comes from a provider has to answer, from the fragment of the page; nothing can answer one that was changed. */
export function readSecondFactor(hash: string): SecondFactor {
  try {
    const bytes = Uint8Array.from(
      atob(hash.slice(1).replaceAll('-', '+').replaceAll('_', '/')),
      (character) => character.charCodeAt(0),
    )
    const { challenge, factors, passkey } = JSON.parse(new TextDecoder().decode(bytes))
    return { challenge: String(challenge), factors: Array.isArray(factors) ? factors : [], passkey }
  } catch {
    return { challenge: '', factors: [] }
  }
}
