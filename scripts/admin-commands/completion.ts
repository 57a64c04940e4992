import { Argument, type Command } from 'commander'
import type { CommandIo } from '../cli/command-io.ts'

const SHELLS = ['bash', 'zsh'] as const
type Shell = (typeof SHELLS)[number]

/** Adds `completion`. @param declareAll declares the program with all its subcommands. */
export function completionCommand(
  program: Command,
  { stdout }: CommandIo,
  declareAll: () => Promise<Command>,
): void {
  program
    .command('completion')
    .description('Print the shell completion script')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .argument('[name]', 'the command name to complete, such as a link on the PATH', 'admin')
    .addHelpText(
      'after',
      `
Examples:
  source <(scripts/admin completion bash)                    # in ~/.bashrc
  source <(inkling-admin completion zsh inkling-admin)       # in ~/.zshrc, after compinit`,
    )
    .action(async (shell: Shell, name: string) => {
      stdout.write(
        `${printCandidates(await declareAll())}\n${REGISTRATION[shell]} '${name.replaceAll("'", "'\\''")}'\n`,
      )
    })
}

/** Candidates after a command: its subcommands, or the values of its first argument, and its options. */
interface CommandCandidates {
  /** For example `key create`; empty for the command itself. */
  readonly command: string
  readonly words: readonly string[]
  readonly options: readonly string[]
  /** Options that take a value, with their choices; an empty list allows any value. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

function listCandidates(command: Command, name = ''): CommandCandidates[] {
  const choices = command.registeredArguments[0]?.argChoices ?? []
  const named = command.options.flatMap((option) =>
    option.long && !option.hidden ? [{ ...option, long: option.long }] : [],
  )
  const place = {
    command: name,
    words: [...command.commands.map((subcommand) => subcommand.name()), ...choices],
    options: [...named.map(({ long }) => long), '--help'],
    values: new Map(
      named
        .filter(({ required, optional }) => required || optional)
        .map(({ long, argChoices }) => [long, argChoices ?? []]),
    ),
  }
  return [
    place,
    ...command.commands.flatMap((subcommand) =>
      listCandidates(subcommand, `${name} ${subcommand.name()}`.trim()),
    ),
  ]
}

/**
 * Returns a function for both shells that prints the candidates for the word at the cursor, given that word and those before
 * it. It prints none where a file may follow.
 */
function printCandidates(program: Command): string {
  const candidates = listCandidates(program)
  const commands = candidates
    .map(({ command }) => `'${command.includes(' ') ? command : ` ${command}`}'`)
    .slice(1)
  const values = candidates.flatMap(({ command, values }) =>
    [...values].map(([option, choices]) => `    '${command} ${option}') ${echo(choices)} return ;;`),
  )
  const next = candidates.map(
    ({ command, words, options }) =>
      `    '${command}') words='${words.join(' ')}' options='${options.join(' ')}' ;;`,
  )
  return `_inkling_admin_candidates() {
  local current="$1" command='' previous='' word words options
  shift
  for word in "$@"; do
    case "$command $word" in
      ${commands.join(' | ')})
        command="\${command:+$command }$word" ;;
    esac
    previous="$word"
  done
  case "$command $previous" in
${values.join('\n')}
  esac
  case "$command" in
${next.join('\n')}
  esac
  case "$current" in -*) echo "$options" ;; *) echo "$words" ;; esac
}`
}

const echo = (words: readonly string[]) => (words.length > 0 ? `echo '${words.join(' ')}';` : '')

/** Registers the function with each shell; the command name is appended. */
const REGISTRATION: Record<Shell, string> = {
  bash: `_inkling_admin() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  local candidates="$(_inkling_admin_candidates "$current" "\${COMP_WORDS[@]:1:COMP_CWORD-1}")"
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _inkling_admin`,
  zsh: `_inkling_admin() {
  local -a candidates
  candidates=(\${=$(_inkling_admin_candidates "$PREFIX" "\${(@)words[2,CURRENT-1]}")})
  if (( $#candidates )); then compadd -- $candidates; else _files; fi
}
compdef _inkling_admin`,
}
