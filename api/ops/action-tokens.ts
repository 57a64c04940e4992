import type { Challenges } from '../factors/challenges.ts'
import type { OpsActionName } from './ops-actions.ts'

/** What a question is about, and who was asked. */
export interface AskedAction {
  readonly operatorId: number
  readonly action: OpsActionName
  readonly subscriptionId: number
  /** Id of the dataset after which it continues; 0 from the beginning. */
  readonly afterId: number
}

/**
 * Signs questions to operators. Browsers send name and password of Basic authentication with any request to this host, whichever page made it;
 * the token shows that the operator saw the question, since no other site can read it. Valid for 5 minutes, in every web process.
 */
export interface ActionTokens {
  issue(asked: AskedAction): Promise<string>
  isValid(asked: AskedAction, token: string): Promise<boolean>
}

export const openActionTokens = (challenges: Challenges): ActionTokens => ({
  issue: async (asked) => (await challenges.issue('operator_action', { data: dataOf(asked) })).challenge,
  async isValid(asked, token) {
    const found = await challenges.verify('operator_action', token)
    return found?.data === dataOf(asked)
  },
})

const dataOf = ({ operatorId, action, subscriptionId, afterId }: AskedAction): string =>
  JSON.stringify([operatorId, action, subscriptionId, afterId])
