import { ApiProblem, type SecondFactor } from '../../client/api-problem.ts'
import { answerByPasskey, hasPasskeys } from '../../client/passkeys.ts'
import { useSession } from '../../client/session.tsx'
import { type Proof, ProofForm } from '../../parts/proof-form.tsx'

/** The ways in the order in which they are offered. */
const ORDER: readonly Proof[] = ['passkey', 'totp', 'recovery_code']

/** Asks a user whose password was right for a second factor. */
export function SecondFactorStep({
  asked: { challenge, factors, passkey: options },
  onFailed,
}: {
  asked: SecondFactor
  /** Called when the sign-in has to begin again; without a problem if the user chose so. */
  onFailed: (problem?: ApiProblem) => void
}) {
  const { signIn } = useSession()
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
