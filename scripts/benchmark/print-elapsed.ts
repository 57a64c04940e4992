import { printMessage } from '../cli/print-message.ts'

/** A line of progress with the seconds since this process started, for whoever wonders what takes so long. */
export function printElapsed(text: string): void {
  printMessage(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${text}`)
}
