/** A way to prove who one is. */
export type StepUpWay = 'password' | 'totp' | 'passkey' | 'sso'

/** Asks the user to prove who they are. @returns whether they did. */
type Ask = (ways: readonly StepUpWay[]) => Promise<boolean>

let ask: Ask | undefined
let asking: Promise<boolean> | undefined

/** Sets the dialog that asks; returns a function that removes it. */
export function onStepUpRequired(dialog: Ask): () => void {
  ask = dialog
  return () => {
    if (ask === dialog) ask = undefined
  }
}

/** Asks the user, once for all requests that wait for it. @returns whether the requests may be repeated. */
export function stepUp(ways: readonly StepUpWay[]): Promise<boolean> {
  asking ??= (ask?.(ways) ?? Promise.resolve(false)).finally(() => {
    asking = undefined
  })
  return asking
}
