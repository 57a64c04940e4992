/** Prints a line to stderr; stdout is reserved for the command's result. */
export function printMessage(text: string): void {
  process.stderr.write(`${text}\n`)
}
