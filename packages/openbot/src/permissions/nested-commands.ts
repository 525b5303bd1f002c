/** What programs do that start other commands by their arguments. */
import { NAMING, RUN_BY_SHELLS, readNames, type ValueSink } from './hidden-values.ts';
import { type ShellWord, unknownWord } from './shell-words.ts';
import { isShell, nameInTables, STARTERS, type Starter, TEXT_STARTERS, takesNext } from './starters.ts';

export type Shell = 'sh' | 'bash';

export interface CommandSink extends ValueSink {
  start(words: readonly ShellWord[], shell: Shell, input?: string): void;
  script(source: string, shell: Shell): void;
}

interface Surroundings {
  readonly shell: Shell;
  /** The here-document that the command reads. */
  readonly input: string | undefined;
}

/** They start a text behind `-c`, with whatever else is before and behind it. */
const WITH_TEXT_OPTION = new Set(['flock', 'newgrp', 'runuser', 'script', 'sg', 'su']);

/** What they run is in files, in other processes or in a language that is not read here. */
const UNREADABLE = new Set([
  ...['.', 'source', 'alias', 'bind', 'compgen', 'complete', 'enable', 'fc'],
  ...['at', 'batch', 'parallel', 'screen', 'tmux', 'expect', 'entr', 'capsh', 'bwrap', 'coreutils'],
  ...['fish', 'csh', 'bsd-csh', 'tcsh', 'nu', 'elvish', 'xonsh', 'pwsh', 'powershell', 'cmd'],
]);

/** Options of programs that go through files: a command is behind them or begins in them. */
const FOR_FILES: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|ok)(?:dir)?$/,
  fd: /^(?:-[a-zA-Z0-9]*?[xX]|--exec(?:-batch)?(?:=|$))/,
};

/** Tells `sink` what a command starts beside itself. */
export function readNested(
  program: string,
  args: readonly ShellWord[],
  around: Surroundings,
  sink: CommandSink,
): void {
  const name = nameInTables(program);
  const forFiles = FOR_FILES[name];
  if (UNREADABLE.has(name)) sink.doubt(`what ${name} runs is not in the command`);
  else if (isShell(name)) readShell(name, args, around, sink);
  else if (name === 'eval') readText(withoutEnd(args), around.shell, sink);
  else if (name === 'trap') readText(withoutEnd(args).slice(0, 1), around.shell, sink);
  else if (name === 'xargs') readXargs(args, around, sink);
  else if (forFiles !== undefined) readForFiles(name, args, forFiles, around, sink);
  else if (NAMING.has(name)) readNames(name, args, sink);
  else if (name === 'hash' && args.some(({ start }) => start.startsWith('-') && start.includes('p')))
    sink.doubt('hash gives a program another name');
  else readStarter(name, args, around, sink);
}

/** Behind the end of the options. */
function withoutEnd(args: readonly ShellWord[]): readonly ShellWord[] {
  return args[0]?.text === '--' ? args.slice(1) : args;
}

function readStarter(
  name: string,
  args: readonly ShellWord[],
  around: Surroundings,
  sink: CommandSink,
): void {
  if (WITH_TEXT_OPTION.has(name)) readTextOption(name, args, sink);
  const starter = STARTERS[name];
  const textStarter = TEXT_STARTERS[name];
  // It only says what would be started.
  if (name === 'command' && /^-p*[vV]/.test(args[0]?.start ?? '')) return;
  if (name === 'env' && args.some(({ start }) => /^-(?:[a-zA-Z0-9]*S|-s)/.test(start)))
    sink.doubt('env -S makes words of a text');
  if (starter !== undefined)
    for (const at of listStarts(name, args, starter, around, sink))
      sink.start(args.slice(at), around.shell, around.input);
  if (textStarter !== undefined)
    for (const at of listStarts(name, args, textStarter, around, sink)) readText(args.slice(at), 'sh', sink);
}

const MOST_STARTS = 10;

/** Where the command of such a program may begin: an option that is not known may have the next word as its value. */
function listStarts(
  name: string,
  args: readonly ShellWord[],
  starter: Starter,
  { input }: Surroundings,
  sink: CommandSink,
): number[] {
  const { operands = 0, assignments, shell } = starter;
  const starts: number[] = [];
  let [fewest, most] = [0, 0];
  let isValue: boolean | undefined = false;
  let runsShell = shell === true;
  for (const [at, { start, text, isSplit, source }] of args.entries()) {
    if (fewest > operands) break;
    if (isSplit || (text === undefined && start === '')) {
      sink.doubt(`${source} behind ${name} is known only when it runs`);
      break;
    }
    if (start.includes('=') && RUN_BY_SHELLS.test(start)) sink.doubt(`a shell runs what ${source} names`);
    if (isValue === true) {
      isValue = false;
    } else if (start.startsWith('-')) {
      isValue = takesNext(start, starter);
      runsShell ||= shell instanceof RegExp && shell.test(start);
    } else if (!assignments?.test(start)) {
      if (most >= operands) starts.push(at);
      if (starts.length > MOST_STARTS) {
        sink.doubt(`${name} has too many options`);
        break;
      }
      most++;
      // zsh: `repeat 1 A=b rm x`
      if (isValue === false && !/^\w+\+?=/.test(start)) fewest++;
      isValue = false;
    }
  }
  if (runsShell && fewest <= operands) readInput(name, input, sink);
  return starts;
}

function readInput(name: string, input: string | undefined, sink: CommandSink): void {
  if (input === undefined) sink.doubt(readsInput(name));
  else sink.script(input, 'sh');
}

/** Their words, joined by spaces, are a script. */
function readText(words: readonly ShellWord[], shell: Shell, sink: CommandSink): void {
  const unknown = words.find(({ text }) => text === undefined);
  if (unknown !== undefined) sink.doubt(`${unknown.source} is known only when it runs`);
  else sink.script(words.map(({ text }) => text).join(' '), shell);
}

function readTextOption(name: string, args: readonly ShellWord[], sink: CommandSink): void {
  let isFound = false;
  for (const [at, { start }] of args.entries()) {
    const [, attached] = /^(?:--(?:session-)?command(?:=|$)|-[a-bd-zA-Z]*c)(.*)$/s.exec(start) ?? [];
    if (attached === undefined) continue;
    isFound = true;
    if (attached === '') readText(args.slice(at + 1, at + 2), 'sh', sink);
    else if (args[at]!.text === undefined) readText([args[at]!], 'sh', sink);
    else sink.script(attached, 'sh');
  }
  const unknown = args.find(({ text }) => text === undefined);
  if (unknown !== undefined) sink.doubt(`${unknown.source} behind ${name} is known only when it runs`);
  else if (!isFound && name !== 'flock' && !isUserGiven(name, args)) sink.doubt(readsInput(name));
}

/** `runuser -u ada rm x` starts a program and no shell. */
function isUserGiven(name: string, args: readonly ShellWord[]): boolean {
  const end = args.findIndex(({ start }) => !start.startsWith('-'));
  const options = args.slice(0, end < 0 ? undefined : end);
  return name === 'runuser' && options.some(({ start }) => /^-(?:[a-zA-Z]*u|-user)/.test(start));
}

function readsInput(name: string): string {
  return `${name} reads its commands from a file or its input`;
}

function readShell(
  name: string,
  args: readonly ShellWord[],
  { input }: Surroundings,
  sink: CommandSink,
): void {
  const shell = /^r?(?:ba|z)sh/.test(name) ? 'bash' : 'sh';
  let at = 0;
  let isText = false;
  for (; /^[-+]./.test(args[at]?.text ?? ''); at++) {
    const option = args[at]!.text!;
    if (option === '--') {
      at++;
      break;
    }
    if (option === '--version' || option === '--help') return;
    if (/^--(?:rcfile|init-file)/.test(option)) sink.doubt(readsInput(name));
    if (option.startsWith('--')) continue;
    isText ||= option.startsWith('-') && option.includes('c');
    // Each has a value: `-eo pipefail`.
    at += option.match(/o/gi)?.length ?? 0;
  }
  const values = args.slice(0, at);
  const operand = args[at]?.text === '-' && isText ? args[at + 1] : args[at];
  const unknown = [...values, ...(operand === undefined ? [] : [operand])].find(
    ({ text }) => text === undefined,
  );
  if (unknown !== undefined) sink.doubt(`${unknown.source} behind ${name} is known only when it runs`);
  else if (isText && operand !== undefined) sink.script(operand.text!, shell);
  else if (operand === undefined && input !== undefined) sink.script(input, shell);
  else sink.doubt(readsInput(name));
}

const XARGS: Starter = { flags: '0prtxo', values: 'adEIJLnPRsS' };

/** What it reads is put behind the words of the command, or in the place of a word. */
function readXargs(args: readonly ShellWord[], around: Surroundings, sink: CommandSink): void {
  for (const at of listStarts('xargs', args, XARGS, around, sink)) {
    const options = args.slice(0, at);
    const marks = options
      .map(({ start }) => start.replace(/^-(?:-r[a-z]*=|[a-zA-Z0-9]*?[IiJ])/, ''))
      .concat('{}');
    const command = args
      .slice(at)
      .map((word) =>
        marks.some((mark) => mark !== '' && word.source.includes(mark))
          ? unknownWord(word.source, false)
          : word,
      );
    sink.start([...command, unknownWord('what xargs reads', true)], around.shell);
  }
}

function readForFiles(
  name: string,
  args: readonly ShellWord[],
  option: RegExp,
  { shell }: Surroundings,
  sink: CommandSink,
): void {
  let isKnown = true;
  for (let at = 0; at < args.length; at++) {
    const { text, start, isSplit, source } = args[at]!;
    if (isSplit) sink.doubt(`${source} behind ${name} is known only when it runs`);
    // It may be one of the options that start a command.
    if (text === undefined && /^(?:-|$)/.test(start)) isKnown = false;
    else if (!isKnown) sink.start(args.slice(at), shell);
    const [begin] = option.exec(start) ?? [];
    if (begin === undefined) continue;
    const end = args.findIndex((word, index) => index > at && (word.text === ';' || word.text === '+'));
    const command = args.slice(at + 1, end < 0 ? undefined : end);
    if (start !== begin || text === undefined)
      command.unshift({ ...args[at]!, text: text?.slice(begin.length), start: start.slice(begin.length) });
    sink.start(
      command.map((word) => (word.source.includes('{') ? unknownWord(word.source, false) : word)),
      shell,
    );
    at = end < 0 ? args.length : end;
  }
}
