/** A command as a shell has to know it. */
export interface Described {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly name: string; readonly takesValue: boolean; readonly text: string }[];
}

type Script = (commands: readonly Described[]) => string;

const bash: Script = (commands) => `# lifesign completion bash
_lifesign() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(' ')} --help --version"
  else
    case \${COMP_WORDS[1]} in
${commands.map(({ name, options }) => `      ${name}) words="${options.map((option) => option.name).join(' ')}" ;;`).join('\n')}
    esac
  fi
  case $current in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi ;;
  esac
}
complete -o filenames -F _lifesign lifesign
`;

const zsh: Script = (commands) => `#compdef lifesign
# lifesign completion zsh
_lifesign() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    '${name}:${summary}'`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case \${words[2]} in
${commands.map(({ name, options }) => `    ${name}) _arguments ${options.map(({ name: option, takesValue, text }) => `'*${option}[${text}]${takesValue ? ':value:_files' : ''}'`).join(' ')} '*:file:_files' ;;`).join('\n')}
  esac
}
# As a file of fpath it is called, as a part of .zshrc it registers itself.
if [ "$funcstack[1]" = _lifesign ]; then _lifesign "$@"; else compdef _lifesign lifesign; fi
`;

const fish: Script = (commands) => `# lifesign completion fish
complete -c lifesign -n __fish_use_subcommand -l help -d 'show all commands'
complete -c lifesign -n __fish_use_subcommand -l version -d 'show the version of lifesign'
${commands
  .flatMap(({ name, summary, options }) => [
    `complete -c lifesign -n __fish_use_subcommand -f -a ${name} -d '${summary}'`,
    ...options.map(
      (option) =>
        `complete -c lifesign -n '__fish_seen_subcommand_from ${name}' -l ${option.name.slice(2)}${option.takesValue ? ' -r' : ''} -d '${option.text}'`,
    ),
  ])
  .join('\n')}
`;

export const scripts: Readonly<Record<string, Script>> = { bash, zsh, fish };
