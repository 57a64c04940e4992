import { Argument, type Command } from 'commander'

const SHELLS = ['bash', 'zsh'] as const
type Shell = (typeof SHELLS)[number]

/** Adds `completion`. */
export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print what has a shell complete this command')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .argument('[name]', 'the name by which you call it, as of a link on the PATH', 'admin')
    .addHelpText(
      'after',
      `
Examples:
  source <(scripts/admin completion bash)                    # in ~/.bashrc
  source <(inkling-admin completion zsh inkling-admin)       # in ~/.zshrc, after compinit`,
    )
    .action((shell: Shell, name: string) => {
      process.stdout.write(`${printCandidates(program)}\n${GLUE[shell]} '${name.replaceAll("'", "'\\''")}'\n`)
    })
}

/** What follows a command: the names of its subcommands, or the values of its first argument, and its options. */
interface Place {
  /** As in `key create`; empty for the command itself. */
  readonly command: string
  readonly words: readonly string[]
  readonly options: readonly string[]
  /** Options that take a value, with the values that they allow; none stands for any. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

function listPlaces(command: Command, name = ''): Place[] {
  const choices = command.registeredArguments[0]?.argChoices ?? []
  const named = command.options.flatMap((option) => (option.long ? [{ ...option, long: option.long }] : []))
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
      listPlaces(subcommand, `${name} ${subcommand.name()}`.trim()),
    ),
  ]
}

/**
 * A function for both shells that prints the candidates for the word at the cursor, given that word and those before it. It
 * prints none where a file may follow.
 */
function printCandidates(program: Command): string {
  const places = listPlaces(program)
  const commands = places
    .map(({ command }) => `'${command.includes(' ') ? command : ` ${command}`}'`)
    .slice(1)
  const values = places.flatMap(({ command, values }) =>
    [...values].map(([option, choices]) => `    '${command} ${option}') ${echo(choices)} return ;;`),
  )
  const next = places.map(
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

/** The end of each script lacks the name of the command. */
const GLUE: Record<Shell, string> = {
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
