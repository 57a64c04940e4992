import { api } from '../client/api.ts'
import { ApiProblem } from '../client/api-problem.ts'

/** On which the window of a step-up tells the page that waits for it how it ended: empty if the user is confirmed. */
export const STEP_UP_CHANNEL = 'inkling.step-up'

/**
 * Lets the user sign in to the provider again, in a window of its own, so that nothing is lost that was typed in this one.
 *
 * @throws ApiProblem if the browser opens no window or the provider does not confirm the user.
 */
export async function proveBySso(): Promise<void> {
  const channel = new BroadcastChannel(STEP_UP_CHANNEL)
  // at once: browsers allow it only as an answer to a click
  const opened = window.open('about:blank', '_blank', 'popup,width=560,height=720')
  try {
    if (!opened)
      throw failed('Your browser did not open a window. Allow windows of this page, and try again.')
    const { data } = await api.POST('/api/account/v1/step-up/sso').catch((problem) => {
      opened.close()
      throw problem
    })
    const ended = new Promise<string>((resolve) => {
      channel.onmessage = ({ data: message }) => resolve(String(message))
    })
    if (data) opened.location.href = data.url
    if ((await ended) !== '') throw failed('Your organisation did not confirm that it is you. Try again.')
  } finally {
    channel.close()
  }
}

const failed = (detail: string) => new ApiProblem({ status: 0, title: 'sso_failed', detail })
