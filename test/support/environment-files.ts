/**
 * Parses variables like systemd's `EnvironmentFile=`: comments begin with `#` or `;`, text in single quotes is literal, and
 * double quotes and bare values support backslash escapes.
 *
 * @see systemd.exec(5), EnvironmentFile
 */
export function readAsSystemd(text: string): Record<string, string> {
  return Object.fromEntries(
    assignmentsOf(text, /^\s*[#;]/).map(([name, value]) => [name.trim(), unquote(value.trim())]),
  )
}

/**
 * Parses variables like `docker run --env-file`: a line is a name, `=` and the literal value, including quotes.
 *
 * @see https://docs.docker.com/reference/cli/docker/container/run/#env
 */
export function readAsDocker(text: string): Record<string, string> {
  return Object.fromEntries(assignmentsOf(text, /^\s*#/))
}

const assignmentsOf = (text: string, comment: RegExp): (readonly [string, string])[] =>
  text
    .split('\n')
    .filter((line) => line.includes('=') && !comment.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)

function unquote(value: string): string {
  const [, single] = /^'([^']*)'$/.exec(value) ?? []
  if (single !== undefined) return single
  const [, double] = /^"((?:[^"\\]|\\.)*)"$/.exec(value) ?? []
  if (double !== undefined) return double.replace(/\\(["\\`$])/g, '$1')
  return value.replace(/\\(.)/g, '$1')
}
