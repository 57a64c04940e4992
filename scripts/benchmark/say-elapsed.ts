import { say } from '../demo-steps/say.ts'

/** A line of progress with the seconds since this process started, for whoever wonders what takes so long. */
export function sayElapsed(text: string): void {
  say(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${text}`)
}
