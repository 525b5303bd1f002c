/** Which commands a shell starts for a text, for rules that forbid some. Loaded where there is such a rule. */
import { type Command, forEachChild, parse, type Script, type SyntaxNode } from 'unbash';
import { findDoubt, hidesIndex, isReckoning } from './hidden-values.ts';
import { type CommandSink, readNested, type Shell } from './nested-commands.ts';
import { nameOfProgram, readShellWord, type ShellWord } from './shell-words.ts';

export interface StartedCommand {
  readonly words: readonly ShellWord[];
  /** As it is written, with its redirections. Absent where another program starts it. */
  readonly source?: string;
}

export interface StartedCommands {
  readonly commands: readonly StartedCommand[];
  /** Why more may be started than the text tells; the first reason. */
  readonly doubtful: string | undefined;
}

/** @param shell `sh` reads some texts in another way than bash; then the commands of both readings are listed */
export function listStarted(text: string, shell: Shell): StartedCommands {
  const reader = new CommandReader();
  if (text.length > MOST_CHARACTERS) reader.doubt('it is too long');
  else
    try {
      // On a system whose lines end in \r\n, a shell may take the \r away.
      reader.script(text.replaceAll('\r\n', '\n'), shell);
      reader.end();
    } catch (error) {
      reader.doubt(`it cannot be parsed (${(error as Error).message})`);
    }
  return reader;
}

const MOST_CHARACTERS = 100_000;
const MOST_COMMANDS = 1000;
/** Of scripts in scripts, and of programs that start programs. */
const MOST_DEPTH = 30;

/** A text of which a tree was made. */
interface ParsedText {
  readonly source: string;
  readonly shell: Shell;
  /** Where sh would read it differently, and what stands there for bash to read it in that way. */
  readonly asSh: { readonly at: number; readonly length: number; readonly text: string }[];
}

class CommandReader implements CommandSink, StartedCommands {
  readonly commands: StartedCommand[] = [];
  doubtful: string | undefined;
  #depth = 0;
  #isReckoning = false;
  #hidesIndex = false;

  doubt(reason: string): void {
    this.doubtful ??= reason;
  }

  reckon(): void {
    this.#isReckoning = true;
  }

  /** What a text hides in one place may be reckoned with in another: in a function, behind a pipe, in a script. */
  end(): void {
    if (this.#isReckoning && this.#hidesIndex) this.doubt('a shell may run what stands between brackets');
  }

  script(source: string, shell: Shell): void {
    // Some shells drop it, so that a word is another one.
    if (/(?<!\\)(?:\\\\)*\\$/.test(source)) this.doubt('it ends with a backslash');
    this.#read({ source, shell, asSh: [] }, parse(source));
  }

  start(words: readonly ShellWord[], shell: Shell, input?: string): void {
    this.#start({ words }, shell, input);
  }

  #goDeeper(work: () => void): void {
    if (this.#depth >= MOST_DEPTH) {
      this.doubt('it is nested too deeply');
      return;
    }
    this.#depth++;
    work();
    this.#depth--;
  }

  #read(text: ParsedText, tree: Script): void {
    this.#goDeeper(() => this.#walkBelow(tree, text, false));
    if (text.asSh.length > 0) this.#goDeeper(() => this.script(rewrite(text), text.shell));
  }

  #walkBelow(node: SyntaxNode, text: ParsedText, isTest: boolean): void {
    if (node.type === 'Script' && node.errors?.length)
      this.doubt(`it cannot be parsed (${node.errors[0]!.message})`);
    forEachChild(node, (child) => this.#walk(child, text, isTest));
  }

  /** @param isTest inside of `[[ ]]` */
  #walk(node: SyntaxNode, text: ParsedText, isTest: boolean): void {
    if (node.type === 'Script') {
      if (node.source !== undefined) this.#read({ source: node.source, shell: text.shell, asSh: [] }, node);
      else this.#goDeeper(() => this.#walkBelow(node, text, false));
      return;
    }
    if (node.type === 'Command') this.#readCommand(node, text);
    if (isReckoning(node)) this.reckon();
    if (hidesIndex(node)) this.#hidesIndex = true;
    const reason = findDoubt(node, isTest);
    if (reason !== undefined) this.doubt(reason);
    const change = text.shell === 'sh' ? changeForSh(node) : undefined;
    if (change !== undefined) text.asSh.push({ at: node.pos, ...change });
    this.#walkBelow(node, text, isTest || node.type === 'TestCommand');
  }

  #readCommand(node: Command, { source, shell }: ParsedText): void {
    if (node.name === undefined) return;
    const words = [node.name, ...node.args].map(readShellWord);
    this.#start({ words, source: source.slice(node.pos, node.end) }, shell, inputOf(node));
  }

  #start(command: StartedCommand, shell: Shell, input: string | undefined): void {
    const { words } = command;
    const [first, ...args] = words;
    if (first === undefined) return;
    const { text } = first;
    if (text === undefined) {
      this.doubt(`${first.source} is known only when it runs`);
    } else if (this.commands.length >= MOST_COMMANDS) {
      this.doubt('it has too many commands');
    } else {
      this.commands.push(command);
      this.#goDeeper(() => readNested(nameOfProgram(text), args, { shell, input }, this));
    }
  }
}

/** The here-document that a command reads, where it reads nothing else and nothing in it is replaced. */
function inputOf({ redirects }: Command): string | undefined {
  const inputs = redirects.filter((one) => one.type !== 'Redirect' || !/^&?>/.test(one.operator));
  const [only] = inputs;
  if (inputs.length !== 1 || only?.type !== 'HereDoc' || only.descriptor !== undefined) return undefined;
  const { body, delimiter } = only;
  const isPlain = body.parts === undefined && (delimiter?.quoted || !body.text.includes('\\'));
  return isPlain ? body.text : undefined;
}

function changeForSh(node: SyntaxNode): { at?: number; length: number; text: string } | undefined {
  switch (node.type) {
    case 'TestCommand':
      // A command with this name, whose arguments end at the next `&&`.
      return { length: 2, text: '[_' };
    case 'ArithmeticCommand':
      return { length: 2, text: '( (' };
    case 'AnsiCQuoted':
      return { length: 2, text: "\\$'" };
    case 'Pipeline': {
      // A program, which has more options than the keyword. sh refuses it before a compound command.
      const time = node.prefixes.find(({ type }) => type === 'Time');
      return time !== undefined && node.commands[0]?.type === 'Command'
        ? { at: time.pos, length: 4, text: '\\time' }
        : undefined;
    }
    case 'Redirect':
      return node.operator.startsWith('&>') ? { length: 2, text: '& >' } : undefined;
    default:
      return undefined;
  }
}

function rewrite({ source, asSh }: ParsedText): string {
  let text = '';
  let end = 0;
  for (const { at, length, text: other } of asSh.toSorted((one, two) => one.at - two.at)) {
    text += source.slice(end, at) + other;
    end = at + length;
  }
  return text + source.slice(end);
}
