import { quoteForShell } from '../terminal-text/quote-for-shell.ts';
import type { Command, Program } from './command.ts';
import { type Item, type KnownFlag, listKnown, listStates } from './completion-states.ts';
import { bareOf, takesNextWord, valuesOf } from './flags.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The command `completion <shell>` of a program. */
export function declareCompletion(name: string, program: () => Program): Command {
  return {
    name: 'completion',
    summary: 'Print the script that completes command lines in a shell',
    description: ['It completes commands, flags, and the values of flags that have fixed values.'],
    positionals: [{ name: 'shell', required: true, choices: SHELLS }],
    flags: {},
    examples: [
      [`eval "$(${name} completion bash)"`, 'in ~/.bashrc'],
      [`source <(${name} completion zsh)`, 'in ~/.zshrc, after compinit'],
      [`${name} completion fish | source`, 'in ~/.config/fish/config.fish'],
    ],
    needsNoSettings: true,
    load: async () => async (input: { words: readonly [Shell]; terminal: { write(text: string): void } }) =>
      input.terminal.write(FORMATS[input.words[0]](program())),
  };
}

const namesOf = (known: readonly KnownFlag[]) => known.flatMap(({ names }) => names);
const textsOf = (items: readonly Item[]) => items.map(({ text }) => text).join(' ');

function formatBash(program: Program): string {
  const known = listKnown(program);
  const name = `_${program.name}_completion`;
  const withValues = known.filter(({ flag }) => valuesOf(flag).length > 0);
  return `# Completion of ${program.name} in bash.
${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} said= words= flags= equals= i
  # bash takes --flag=value for three words.
  if [[ $cur == = ]]; then cur= equals=1
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]} equals=1
  fi
  COMPREPLY=()
  case $prev$equals in
${withValues
  .flatMap(({ names, flag }) => [
    ...names.map(
      (one) =>
        `    ${one}1${bareOf(flag) === undefined ? `|${one}` : ''}) words='${valuesOf(flag).join(' ')}' ;;`,
    ),
  ])
  .join('\n')}
    ${namesOf(known.filter(({ flag }) => takesNextWord(flag) && valuesOf(flag).length === 0)).join('|')}|-*1) return ;;
    *)
      for ((i = 1; i < COMP_CWORD; i++)); do
        case \${COMP_WORDS[i]} in
          -*)
            if [[ \${COMP_WORDS[i+1]} == = ]]; then ((i += 2)); continue; fi
            case \${COMP_WORDS[i]} in ${namesOf(known.filter(({ flag }) => takesNextWord(flag))).join('|')}) ((i++)) ;; esac ;;
          *) said="$said\${COMP_WORDS[i]} " ;;
        esac
      done
      case $said in
${listStates(program)
  .map(
    ({ said, words, flags }) =>
      `        ${said === '' ? "''" : `'${said} '*`}) words='${textsOf(words)}' flags='${textsOf(flags)}' ;;`,
  )
  .join('\n')}
      esac
      if [[ $cur == -* ]]; then words=$flags; fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F ${name} ${program.name}
`;
}

function formatZsh(program: Program): string {
  const known = listKnown(program);
  const name = `_${program.name}`;
  const withValues = known.filter(({ flag }) => valuesOf(flag).length > 0);
  const detached = known.filter(({ flag }) => takesNextWord(flag));
  const paths = detached.filter(({ flag }) => flag.kind === 'path');
  const others = detached.filter(({ flag }) => flag.kind !== 'path' && valuesOf(flag).length === 0);
  const describe = (items: readonly Item[]) =>
    items.map(({ text, help }) => quoteForShell(help === '' ? text : `${text}:${help}`)).join(' ');
  return `#compdef ${program.name}
# Completion of ${program.name} in zsh.
${name}() {
  local -a said words_here flags_here
  local i=2
  while (( i < CURRENT )); do
    case $words[i] in
      (${namesOf(detached).join('|')}) (( i++ )) ;;
      (-*) ;;
      (*) said+=("$words[i]") ;;
    esac
    (( i++ ))
  done
  case $PREFIX in
${withValues.map(({ names, flag }) => `    (${names[0]}=*) compset -P '*='; compadd -- ${valuesOf(flag).join(' ')}; return ;;`).join('\n')}
    (--*=*) compset -P '*='; _files; return ;;
  esac
  case $words[CURRENT-1] in
${withValues
  .filter(({ flag }) => takesNextWord(flag))
  .map(({ names, flag }) => `    (${names.join('|')}) compadd -- ${valuesOf(flag).join(' ')}; return ;;`)
  .join('\n')}
    (${namesOf(paths).join('|')}) _files; return ;;
    (${namesOf(others).join('|')}) _message value; return ;;
  esac
  case "$said " in
${listStates(program)
  .map(
    ({ said, words, flags }) =>
      `    (${quoteForShell(`${said} `)}*) words_here=(${describe(words)}) flags_here=(${describe(flags)}) ;;`,
  )
  .join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe flag flags_here
  elif (( $#words_here )); then _describe word words_here
  else _files
  fi
}
if [[ $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program.name}; fi
`;
}

function formatFish(program: Program): string {
  const known = listKnown(program);
  const name = `__${program.name}`;
  const detached = namesOf(known.filter(({ flag }) => takesNextWord(flag)));
  const complete = `complete -c ${program.name}`;
  const describe = (help: string) => (help === '' ? '' : ` -d ${quoteForFish(help)}`);
  const ofFlag = (said: string, { text, help }: Item): string => {
    const found = known.find(({ names }) => names[0] === text);
    const short = found?.flag.short === undefined ? '' : ` -s ${found.flag.short}`;
    const values = found === undefined ? [] : valuesOf(found.flag);
    const takes =
      found === undefined || !takesNextWord(found.flag) ? '' : found.flag.kind === 'path' ? ' -r -F' : ' -x';
    const choice = values.length === 0 ? '' : ` -f -a ${quoteForFish(values.join(' '))}`;
    return `${complete} -n ${quoteForFish(said === '' ? `${name}_said_only ''` : `${name}_said_first ${quoteForFish(said)}`)} -l ${text.slice(2)}${short}${takes}${choice}${describe(help)}`;
  };
  const lines = listStates(program).flatMap(({ said, words, flags }) => [
    ...(words.length === 0
      ? []
      : [`${complete} -n ${quoteForFish(`${name}_said_only ${quoteForFish(said)}`)} -f`]),
    ...words.map(
      ({ text, help }) =>
        `${complete} -n ${quoteForFish(`${name}_said_only ${quoteForFish(said)}`)} -a ${text}${describe(help)}`,
    ),
    ...flags.map((item) => ofFlag(said, item)),
  ]);
  return `# Completion of ${program.name} in fish.
function ${name}_said
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${detached.join(' ')}
                set skip 1
            case '-*'
            case '*'
                echo $word
        end
    end
end
function ${name}_said_only
    set -l said (${name}_said)
    test "$said" = "$argv"
end
function ${name}_said_first
    set -l said (${name}_said)
    string match -q -- "$argv *" "$said "
end
${lines.join('\n')}
`;
}

function quoteForFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

const FORMATS: Readonly<Record<Shell, (program: Program) => string>> = {
  bash: formatBash,
  zsh: formatZsh,
  fish: formatFish,
};
