import { ApiProblem, type SecondFactor } from '../../client/api-problem.ts'
import { hasPasskeys } from '../../client/passkeys.ts'
import { useSession } from '../../client/session.tsx'
import { answerByPasskey } from '../../parts/call-passkeys.ts'
import { type Proof, ProofForm } from '../../parts/proof-form.tsx'
import { readSecondFactor } from './read-second-factor.ts'

/** The ways in the order in which they are offered. */
const ORDER: readonly Proof[] = ['passkey', 'totp', 'recovery_code']

/** Asks a user whose password was right for a second factor. */
export function SecondFactorStep({
  asked,
  onFailed,
}: {
  /** Or the fragment of the page to which a provider led. */
  asked: SecondFactor | string
  /** Called when the sign-in has to begin again; without a problem if the user chose so. */
  onFailed: (problem?: ApiProblem) => void
}) {
  const { signIn } = useSession()
  const { challenge, factors, passkey: options } = typeof asked === 'string' ? readSecondFactor(asked) : asked
  const offered: readonly string[] = factors
  const ways = ORDER.filter((way) => offered.includes(way) && (way !== 'passkey' || hasPasskeys()))

  async function prove(way: Proof, text: string) {
    try {
      if (way === 'passkey') await signIn({ challenge, passkey: await answerByPasskey(options ?? {}) })
      else await signIn({ challenge, [way === 'totp' ? 'totp' : 'recoveryCode']: text.trim() })
    } catch (problem) {
      if (!(problem instanceof ApiProblem) || problem.title !== 'challenge_invalid') throw problem
      onFailed(problem)
    }
  }

  return <ProofForm ways={ways} action="Sign in" prove={prove} cancel={() => onFailed()} />
}
