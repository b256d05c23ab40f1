/** A command as a shell has to know it. */
export interface Described {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly name: string; readonly takesValue: boolean; readonly text: string }[];
}

/** A program with its commands; no two programs have a command of the same name. */
export interface Completed {
  readonly program: string;
  readonly commands: readonly Described[];
}

type Script = (programs: readonly Completed[]) => string;

const namesOf = ({ commands }: Completed) => commands.map(({ name }) => name).join(' ');
const commandsOf = (programs: readonly Completed[]) => programs.flatMap(({ commands }) => commands);

const bash: Script = (programs) => `# lifesign-cli completion bash
_lifesign() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    case \${COMP_WORDS[0]##*/} in
${programs.map((each) => `      ${each.program}) words="${namesOf(each)} --help --version" ;;`).join('\n')}
    esac
  else
    case \${COMP_WORDS[1]} in
${commandsOf(programs)
  .map(({ name, options }) => `      ${name}) words="${options.map((option) => option.name).join(' ')}" ;;`)
  .join('\n')}
    esac
  fi
  case $current in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi ;;
  esac
}
complete -o filenames -F _lifesign ${programs.map(({ program }) => program).join(' ')}
`;

const zsh: Script = (programs) => `#compdef ${programs.map(({ program }) => program).join(' ')}
# lifesign-cli completion zsh
_lifesign() {
  local -a commands
  case $service in
${programs
  .map(
    ({ program, commands }) =>
      `    ${program}) commands=(${commands.map(({ name, summary }) => `\n      '${name}:${summary}'`).join('')}\n    ) ;;`,
  )
  .join('\n')}
  esac
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case \${words[2]} in
${commandsOf(programs)
  .map(
    ({ name, options }) =>
      `    ${name}) _arguments ${options.map(({ name: option, takesValue, text }) => `'*${option}[${text}]${takesValue ? ':value:_files' : ''}'`).join(' ')} '*:file:_files' ;;`,
  )
  .join('\n')}
  esac
}
# As a file of fpath it is called, as a part of .zshrc it registers itself.
if [ "$funcstack[1]" = _lifesign ]; then _lifesign "$@"; else compdef _lifesign ${programs.map(({ program }) => program).join(' ')}; fi
`;

const fish: Script = (programs) => `# lifesign-cli completion fish
${programs
  .flatMap(({ program, commands }) => [
    `complete -c ${program} -n __fish_use_subcommand -l help -d 'show all commands'`,
    `complete -c ${program} -n __fish_use_subcommand -l version -d 'show the version of ${program}'`,
    ...commands.flatMap(({ name, summary, options }) => [
      `complete -c ${program} -n __fish_use_subcommand -f -a ${name} -d '${summary}'`,
      ...options.map(
        (option) =>
          `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${option.name.slice(2)}${option.takesValue ? ' -r' : ''} -d '${option.text}'`,
      ),
    ]),
  ])
  .join('\n')}
`;

export const scripts: Readonly<Record<string, Script>> = { bash, zsh, fish };
