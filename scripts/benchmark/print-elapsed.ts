import { printMessage } from '../cli/print-message.ts'

/** Prints a line of progress with the seconds since this process started. */
export function printElapsed(text: string): void {
  printMessage(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${text}`)
}
