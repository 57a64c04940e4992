/** Formats indented JSON with short, flat objects on one line. */
export function presentJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/\{\n[^{}[\]]+\}/g, (object) => {
    const line = object.replaceAll(/\n\s*/g, ' ')
    return line.length <= 100 ? line : object
  })
}
