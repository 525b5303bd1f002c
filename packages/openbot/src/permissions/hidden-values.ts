/** Commands in values: what a shell runs when it uses a variable, or the file that one names. */
import type { SyntaxNode } from 'unbash';
import { readShellWord, type ShellWord } from './shell-words.ts';

export interface ValueSink {
  /** More may be started than is known. */
  doubt(reason: string): void;
  /** A shell computes with a value, or takes it for a name: it runs the index in `a[$(rm x)]`. */
  reckon(): void;
}

/** Variables whose value a shell runs, or the file that they name. */
export const RUN_BY_SHELLS = /^(?:BASH_ENV|ENV|PROMPT_COMMAND)(?:=|$)/;
/** The same, where a variable is set by its name: what it gets is not known, as it is in `PS4='+ '`. */
const RUN_WHEN_SET = /^(?:BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4])(?:=|$)/;

/** A shell runs it when it reckons with a variable that holds it. */
const HIDDEN = /\$\(|`/;
const HIDDEN_INDEX = /\[.*(?:\$\(|`)/s;

/** Whether a shell may reckon with the value of a variable here. */
export function isReckoning(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
    case 'Slice':
      return true;
    case 'ParameterExpansion':
      return node.index !== undefined || node.prefix === '!';
    case 'Assignment':
      return node.index !== undefined;
    case 'TestUnary':
      return node.operator === '-v' || node.operator === '-R';
    case 'TestBinary':
      return /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator);
    default:
      return false;
  }
}

/** Whether a text is here that a shell runs a part of when it reckons with it. */
export function hidesIndex(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Word':
      return HIDDEN_INDEX.test(readShellWord(node).text ?? '');
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return HIDDEN_INDEX.test(node.value);
    case 'HereDocBody':
      // With parts in it, only what is escaped is no substitution.
      return HIDDEN_INDEX.test(node.text) && (node.parts === undefined || node.text.includes('\\'));
    default:
      return false;
  }
}

/** Why a part of a text may run commands that are no commands of the text. */
export function findDoubt(node: SyntaxNode, isTest: boolean): string | undefined {
  switch (node.type) {
    case 'Assignment': {
      if (RUN_BY_SHELLS.test(node.name)) return runsValueOf(node.name);
      const words = node.value.type === 'Word' ? [node.value] : node.value.elements;
      return words.some((word) => HIDDEN.test(readShellWord(word).text ?? ''))
        ? `${node.name} gets a text that a shell may run`
        : undefined;
    }
    case 'For':
    case 'Select':
      return RUN_WHEN_SET.test(node.name.value) ? runsValueOf(node.name.value) : undefined;
    case 'FileDescriptorVariable':
      return RUN_WHEN_SET.test(node.name) ? runsValueOf(node.name) : undefined;
    case 'ParameterExpansion': {
      const isSet = node.operation?.type === 'Default' && node.operation.operator.endsWith('=');
      return isSet && RUN_WHEN_SET.test(node.parameter) ? runsValueOf(node.parameter) : undefined;
    }
    case 'ExtendedGlob':
      return isTest ? undefined : `a shell may run a part of ${node.text}`;
    case 'Transform':
      return node.operand.value === 'P' ? '@P runs commands in the text of a variable' : undefined;
    case 'Unknown':
      return `\${${node.operator}} is known only when it runs`;
    case 'ArithmeticExpansion':
      return /[\\']/.test(node.text) ? `${node.text} is known only when it runs` : undefined;
    case 'ArithmeticCommand':
      return /[\\']/.test(node.body) ? `((${node.body})) is known only when it runs` : undefined;
    case 'ArithmeticWord':
      return RUN_WHEN_SET.test(node.value) ? runsValueOf(node.value) : undefined;
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return isTest && HIDDEN_INDEX.test(node.value) ? `a shell may run a part of ${node.text}` : undefined;
    default:
      return undefined;
  }
}

function runsValueOf(name: string): string {
  return `a shell runs what ${name} holds`;
}

/** Builtins that set variables by assignments in their arguments. */
const DECLARING = new Set(['declare', 'export', 'local', 'readonly', 'typeset']);
/** Builtins that set variables by their names. */
const SETTING = new Set(['getopts', 'let', 'mapfile', 'printf', 'read', 'readarray', 'wait']);
/** Builtins that reckon with the index in a name: `read 'a[$(rm x)]'`. */
export const NAMING: ReadonlySet<string> = new Set([...DECLARING, ...SETTING, '[', 'test', 'unset']);

export function readNames(name: string, args: readonly ShellWord[], sink: ValueSink): void {
  if (args.some(({ text }) => HIDDEN_INDEX.test(text ?? '')))
    sink.doubt(`${name} may run what stands between brackets`);
  if (args.some(({ text }) => text === undefined)) sink.reckon();
  if (DECLARING.has(name)) readDeclared(name, args, sink);
  else if (SETTING.has(name)) readSet(name, args, sink);
  const isCalling =
    (name === 'mapfile' || name === 'readarray') && args.some(({ start }) => start.startsWith('-C'));
  if (isCalling) sink.doubt(`${name} -C runs a command`);
}

function readDeclared(name: string, args: readonly ShellWord[], sink: ValueSink): void {
  for (const { text, start, source } of args) {
    if (/^-[a-zA-Z]*n/.test(start) && name !== 'export')
      sink.doubt(`${name} -n gives a variable another name`);
    if (/^[-+][a-zA-Z]*i/.test(start)) sink.reckon();
    // An assignment that is no text is read where it stands.
    if (text?.includes('=') && RUN_WHEN_SET.test(text)) sink.doubt(`a shell runs what ${source} sets`);
    if (text === undefined && !start.includes('='))
      sink.doubt(`${source} behind ${name} is known only when it runs`);
  }
}

function readSet(name: string, args: readonly ShellWord[], sink: ValueSink): void {
  for (const [at, { text, start, source }] of args.entries()) {
    const before = args[at - 1]?.start ?? '';
    const target = start.replace(/^-[a-zA-Z]*[vpa]/, '');
    if (name === 'printf' && !start.startsWith('-v') && before !== '-v') continue;
    if (RUN_WHEN_SET.test(target)) sink.doubt(`a shell runs what ${source} names`);
    // Behind an option it is a prompt or a number.
    const isName = name === 'printf' || (name === 'getopts' ? at === 1 : !before.startsWith('-'));
    if (text === undefined && isName && !start.startsWith('-') && name !== 'let' && name !== 'wait')
      sink.doubt(`${source} behind ${name} is known only when it runs`);
  }
}
