import { readText } from './files.ts'

export interface Instruction {
  readonly name: string
  readonly value: string
}

/** The instructions from a FROM to the next. */
export interface Stage {
  readonly name: string
  readonly instructions: readonly Instruction[]
}

/** The stages of the Dockerfile; the last one is the image. */
export function readStages(): Stage[] {
  const instructions = readText('Dockerfile')
    .replace(/^\s*#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line): Instruction[] => {
      const [, name, value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? []
      return name === undefined ? [] : [{ name, value }]
    })
  const starts = instructions.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []))
  return starts.map((at, index) => ({
    name: / AS (\w+)$/.exec(instructions[at]?.value ?? '')?.[1] ?? 'image',
    instructions: instructions.slice(at + 1, starts[index + 1]),
  }))
}

/** The last value of an instruction of the image. @throws if there is none. */
export function settingOfImage(name: string): string {
  const found = readStages()
    .at(-1)
    ?.instructions.findLast((one) => one.name === name)
  if (!found) throw new Error(`The image has no ${name}`)
  return found.value
}

/** The program and arguments of the health check. */
export const healthCheckOfImage = (): string[] =>
  JSON.parse(settingOfImage('HEALTHCHECK').replace(/^.*? CMD /, ''))
