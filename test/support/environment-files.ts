/**
 * Variables as systemd reads them from an `EnvironmentFile=`: comments begin with `#` or `;`, single quotes take everything as it
 * is, double quotes and bare values know a backslash.
 *
 * @see systemd.exec(5), EnvironmentFile
 */
export function readAsSystemd(text: string): Record<string, string> {
  return Object.fromEntries(
    assignmentsOf(text, /^\s*[#;]/).map(([name, value]) => [name.trim(), unquote(value.trim())]),
  )
}

/**
 * Variables as `docker run --env-file` reads them: a line is a name, `=` and the value as it stands, quotes too.
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
