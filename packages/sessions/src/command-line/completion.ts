import { quoteForShell } from '../terminal-text/quote-for-shell.ts';
import { type Command, isGroup, type Program } from './command.ts';
import { ASKED, type Item, type KnownFlag, listKnown, listStates } from './completion-states.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The command `completion <shell>` of a program. */
export function declareCompletion(name: string, program: () => Program): Command {
  return {
    name: 'completion',
    summary: 'Print the script that completes command lines in a shell',
    description: ['It completes commands, flags, and the values of flags where they are known.'],
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
/** Words of which nothing is known may be paths. Behind words that are known, no others follow. */
const takesAnyWord = ({ words, kind }: { words: readonly Item[]; kind?: string }) =>
  words.length === 0 && kind === undefined;
/** A pattern of `case` must have one name. */
const patternOf = (names: readonly string[]) => (names.length === 0 ? '-' : names.join('|'));

/** Values of the program's own are compared here and not by compgen, which would run what is in them. */
function formatBash(program: Program): string {
  const known = listKnown(program);
  const name = `_${program.name}_completion`;
  const silent = known.filter(({ takesWord, values, kind }) => takesWord && values.length === 0 && !kind);
  const patternsOf = ({ names, isBare }: KnownFlag) =>
    names.map((one) => (isBare ? `${one}1` : `${one}1|${one}`)).join('|');
  return `# Completion of ${program.name} in bash.
${name}() {
  local cur prev said= words= flags= kind= equals= glue= one i
  local -a typed=()
  # bash takes --flag=value and agent:main for three words.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    one=\${COMP_WORDS[i]}
    if [[ ($glue || $one =~ ^[:=]+$) && $i -gt 1 ]]; then typed[\${#typed[@]}-1]+=$one
    else typed+=("$one")
    fi
    if [[ $one =~ ^[:=]+$ ]]; then glue=1; else glue=; fi
  done
  local -i last=\${#typed[@]}-1
  cur=\${typed[last]} prev=\${typed[last-1]}
  if [[ $cur == --*=* ]]; then prev=\${cur%%=*} cur=\${cur#*=} equals=1; fi
  COMPREPLY=()
  case $prev$equals in
${known
  .filter(({ values, kind }) => values.length > 0 || kind)
  .map((flag) => `    ${patternsOf(flag)}) words='${flag.values.join(' ')}' kind=${flag.kind ?? ''} ;;`)
  .join('\n')}
    ${patternOf(namesOf(silent))}|-*1) return ;;
    *)
      for ((i = 1; i < last; i++)); do
        case \${typed[i]} in
          ${patternOf(namesOf(known.filter(({ takesWord }) => takesWord)))}) ((i++)) ;;
          -*) ;;
          *) said="$said\${typed[i]} " ;;
        esac
      done
      case $said in
${listStates(program)
  .map(({ said, words, kind, flags }) => {
    const pattern = said === '' ? "''" : `'${said} '*`;
    const here = said === '' ? "''" : `'${said} '`;
    const first = `if [[ $said == ${here} ]]; then words='${textsOf(words)}' kind=${kind ?? ''}; fi`;
    return `        ${pattern}) flags='${textsOf(flags)}'; ${first} ;;`;
  })
  .join('\n')}
      esac
      if [[ $cur == -* ]]; then words=$flags kind=; fi ;;
  esac
  for one in $words; do
    if [[ $one == "$cur"* ]]; then COMPREPLY+=("$one"); fi
  done
  if [[ $kind ]]; then
    while IFS=$'\\t' read -r one _; do
      if [[ $one == "$cur"* ]]; then COMPREPLY+=("$(printf %q "$one")"); fi
    done < <("$1" ${ASKED} "$kind" -- "\${typed[@]:1:last-1}" 2>/dev/null)
  fi
  # readline replaces what follows the last colon.
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    prev=\${cur%"\${cur##*:}"}
    for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=\${COMPREPLY[i]#"$prev"}; done
  fi
}
complete -o bashdefault -o default -F ${name} ${program.name}
`;
}

function formatZsh(program: Program): string {
  const known = listKnown(program);
  const name = `_${program.name}`;
  const detached = known.filter(({ takesWord }) => takesWord);
  const paths = detached.filter(({ isPath }) => isPath);
  const others = detached.filter(({ isPath, values, kind }) => !isPath && values.length === 0 && !kind);
  const describe = (items: readonly Item[]) =>
    items.map(({ text, help }) => quoteForShell(help === '' ? text : `${text}:${help}`)).join(' ');
  const offer = ({ values, kind }: KnownFlag) =>
    kind ? `${name}_ask ${kind}` : `compadd -- ${values.join(' ')}`;
  const offering = known.filter(({ values, kind }) => values.length > 0 || kind);
  return `#compdef ${program.name}
# Completion of ${program.name} in zsh.
${name}_ask() {
  local -a found
  local line tab=$'\\t'
  for line in \${(f)"$($words[1] ${ASKED} $1 -- \${words[2,CURRENT-1]} 2>/dev/null)"}; do
    found+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}")
  done
  _describe $1 found
}
${name}() {
  local -a said words_here flags_here
  local kind= files= i=2
  while (( i < CURRENT )); do
    case $words[i] in
      (${patternOf(namesOf(detached))}) (( i++ )) ;;
      (-*) ;;
      (*) said+=("$words[i]") ;;
    esac
    (( i++ ))
  done
  case $PREFIX in
${offering.map((flag) => `    (${flag.names[0]}=*) compset -P '*='; ${offer(flag)}; return ;;`).join('\n')}
    (--*=*) compset -P '*='; _files; return ;;
  esac
  case $words[CURRENT-1] in
${offering
  .filter(({ takesWord }) => takesWord)
  .map((flag) => `    (${flag.names.join('|')}) ${offer(flag)}; return ;;`)
  .join('\n')}
    (${patternOf(namesOf(paths))}) _files; return ;;
    (${patternOf(namesOf(others))}) _message value; return ;;
  esac
  case "$said " in
${listStates(program)
  .map(({ said, words, kind, flags }) => {
    const first = `if [[ "$said" == ${quoteForShell(said)} ]]; then words_here=(${describe(words)}) kind=${kind ?? ''}; fi`;
    const files = takesAnyWord({ words, kind }) ? ' files=1;' : '';
    return `    (${quoteForShell(`${said} `)}*) flags_here=(${describe(flags)});${files} ${first} ;;`;
  })
  .join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe flag flags_here; return; fi
  if (( $#words_here )); then _describe word words_here; fi
  if [[ -n $kind ]]; then ${name}_ask $kind; fi
  if [[ -n $files ]]; then _files; fi
}
if [[ $funcstack[1] == ${name} ]]; then ${name} "$@"; else compdef ${name} ${program.name}; fi
`;
}

function formatFish(program: Program): string {
  const known = listKnown(program);
  const name = `__${program.name}`;
  const detached = namesOf(known.filter(({ takesWord }) => takesWord));
  const complete = `complete -c ${program.name}`;
  const describe = (help: string) => (help === '' ? '' : ` -d ${quoteForFish(help)}`);
  const ofFlag = (said: string, { text, help }: Item): string => {
    const found = known.find(({ names }) => names[0] === text);
    const short = found?.short === undefined ? '' : ` -s ${found.short}`;
    const takes = !found?.takesWord ? '' : found.isPath ? ' -r -F' : ' -x';
    const values = found?.kind ? `(${name}_ask ${found.kind})` : found?.values.join(' ');
    const choice = values ? ` -f -a ${quoteForFish(values)}` : '';
    return `${complete} -n ${quoteForFish(said === '' ? `${name}_said_only ''` : `${name}_said_first ${quoteForFish(said)}`)} -l ${text.slice(2)}${short}${takes}${choice}${describe(help)}`;
  };
  const lines = listStates(program).flatMap(({ said, words, kind, flags }) => {
    const here = `${complete} -n ${quoteForFish(`${name}_said_only ${quoteForFish(said)}`)}`;
    const isGroupHere = isGroup(program, said);
    const within = isGroupHere
      ? here
      : `${complete} -n ${quoteForFish(`${name}_said_first ${quoteForFish(said)}`)}`;
    return [
      ...(takesAnyWord({ words, kind }) ? [] : [`${said === '' ? here : within} -f`]),
      ...words.map(({ text, help }) => `${here} -a ${text}${describe(help)}`),
      ...(kind === undefined ? [] : [`${here} -a ${quoteForFish(`(${name}_ask ${kind})`)}`]),
      ...flags.map((item) => ofFlag(said, item)),
    ];
  });
  return `# Completion of ${program.name} in fish.
function ${name}_ask
    set -l typed (commandline -opc)
    $typed[1] ${ASKED} $argv -- $typed[2..-1] 2>/dev/null
end
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
