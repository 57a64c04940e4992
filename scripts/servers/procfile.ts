import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns a lookup of the Procfile's commands by process type. */
export function readProcfile(root: string): (type: string) => string {
  const lines = readFileSync(join(root, 'Procfile'), 'utf8').split('\n')
  const commands = new Map(
    lines.flatMap((line) => {
      const [, type, command] = /^([\w-]+):\s*(.+)$/.exec(line) ?? []
      return type && command ? [[type, command.trim()] as const] : []
    }),
  )
  return (type) => {
    const command = commands.get(type)
    if (command === undefined) throw new Error(`The Procfile has no process type ${type}`)
    return command
  }
}
