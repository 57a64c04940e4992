/** A line for the person at the terminal. Not on stdout, which has only what the demo shows: the insight, the commands. */
export function printMessage(text: string): void {
  process.stderr.write(`${text}\n`)
}
