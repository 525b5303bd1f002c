import type { Flags, FlagValues } from './flags.ts';
import type { ResultShape } from './result-shape.ts';
import type { Environment, Terminal } from './terminal.ts';

export interface Positional {
  readonly name: string;
  /** Shown as `<name>` instead of `[name]`; the command itself asks for one that is missing. */
  readonly required?: true;
  readonly choices?: readonly string[];
  /** As of a flag. */
  readonly complete?: string;
  /** It takes every further word too. Only for the last one. */
  readonly many?: true;
  /** A remark for a command line with too many words. */
  readonly whenTooMany?: string;
}

type PositionalValues<P extends readonly Positional[]> = {
  readonly [At in keyof P]?: P[At] extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;
};

/** What a command is called with. `F` and `P` are the flags and positionals of its declaration. */
export interface CommandInput<
  F extends Flags = Record<never, never>,
  P extends readonly Positional[] = readonly Positional[],
> {
  readonly flags: FlagValues<F>;
  readonly words: PositionalValues<P>;
  /** Everything on the command line, the name of the program first. */
  readonly commandLine: readonly string[];
  readonly env: Environment;
  /** Read only where it is needed: reading it may fail. */
  readonly cwd: string;
  readonly terminal: Terminal;
  /** Whether a person can be asked on standard input. Read only where it is needed: it opens standard input. */
  readonly isInteractive: boolean;
  /** Standard input to its end, or to somewhere behind so many bytes. */
  readInput(mostBytes?: number): Promise<string>;
}

/** Resolves when the command is done; a failure is thrown. */
export type CommandBody<Input> = (input: Input) => Promise<void>;

/** A left column and a text beside it: a command line and what it does, a preset and what it keeps. */
export type HelpRow = readonly [left: string, right: string];

export interface HelpSection {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

export interface HelpTopic {
  /** One line, in the list of topics. */
  readonly summary: string;
  /** Paragraphs and tables. */
  load(): Promise<readonly (string | HelpSection)[]>;
}

export interface Surroundings {
  readonly env: Environment;
  /** Read only where a command needs it: reading it may fail. */
  readonly cwd: string;
  readonly terminal: Terminal;
  /** False by default. */
  readonly isInteractive?: boolean;
  /** Standard input to its end, or to somewhere behind so many bytes. Default: it is empty. */
  readInput?(mostBytes?: number): Promise<string>;
}

/** One command, declared once: the parser, help, completion and the documentation are made from it. */
export interface Command {
  /** As it is typed; a name of two words belongs to a group: `cc list`. */
  readonly name: string;
  /** One line, in the list of commands. */
  readonly summary: string;
  /** Paragraphs. */
  readonly description?: readonly string[];
  readonly positionals: readonly Positional[];
  readonly flags: Flags;
  /** The flag that a word is likely meant for, where it takes none: `message`. */
  readonly wordsMean?: string;
  /** Further sections of its help. */
  readonly sections?: readonly HelpSection[];
  readonly examples: readonly HelpRow[];
  /** Can be run, and is neither shown nor suggested. */
  readonly hidden?: true;
  /** Runs without `prepare` of the program, also where its settings cannot be read. */
  readonly needsNoSettings?: true;
  /** What `--json` prints, by the command line that prints it. Loaded by the documentation and by tests. */
  results?(): Promise<Readonly<Record<string, ResultShape>>>;
  /** The body, loaded when the command is run. Its input is that of the declaration. */
  load(): Promise<CommandBody<never>>;
}

interface Declaration<Context, F extends Flags, P extends readonly Positional[]> extends Command {
  readonly flags: F;
  readonly positionals: P;
  load(): Promise<CommandBody<CommandInput<F, P> & Context>>;
}

/** Declares commands whose input also has `Context`; the body must take the flags and positionals that are declared. */
export function declareCommands<Context extends object = object>() {
  return <const F extends Flags, const P extends readonly Positional[]>(
    declaration: Declaration<Context, F, P>,
  ): Command => declaration;
}

/** A program with commands: everything that the command line needs to know of it. */
export interface Program<Context extends object = object, Common extends Flags = Flags> {
  readonly name: string;
  /** What `--version` prints. */
  version(): string;
  readonly commands: readonly Command[];
  /** Flags that most commands have: help lists them apart. */
  readonly commonFlags: Common;
  readonly help: {
    readonly about: string;
    readonly usage: string;
    readonly commonTitle?: string;
    readonly sections?: readonly HelpSection[];
    readonly examples: readonly HelpRow[];
    readonly closing?: readonly string[];
    /** Titles above the commands, by the first words of their names; a group is then one row. Commands of no family come last. */
    readonly families?: readonly { readonly title: string; readonly words: readonly string[] }[];
    /** What the commands of a group are about, in one line. */
    readonly groups?: Readonly<Record<string, string>>;
  };
  /** What `help <topic>` explains beside the commands. */
  readonly topics?: Readonly<Record<string, HelpTopic>>;
  /** Texts that a flag alone prints: `--quickstart`. */
  readonly pages?: Readonly<Record<string, { readonly help: string; readonly text: string }>>;
  /** Whether errors are JSON where no flag says so, for failures before the settings are known. */
  prefersJson?(env: Environment): boolean;
  /** Reads what the commands need beside their flags. `json` and `verbose` win over the flags. */
  prepare?(flags: FlagValues<Common>, surroundings: Surroundings): Promise<Prepared<Context>>;
  /** Exit codes by the code of an error, where it is not 1: `{ USAGE: 2 }`. */
  readonly exitCodes?: Readonly<Record<string, number>>;
  /** Replaces the hint of an error by one for this command line. */
  advise?(code: string, hint: string | undefined): string | undefined;
}

interface Prepared<Context> {
  readonly context: Context;
  readonly json: boolean;
  readonly verbose: boolean;
}

export function listVisible({ commands }: Program): readonly Command[] {
  return commands.filter(({ hidden }) => !hidden);
}

/** The command that the words begin with: `sessions show` rather than `sessions`. */
export function findCommand({ commands }: Program, words: readonly string[]): Command | undefined {
  const fitting = commands.filter(({ name }) => name.split(' ').every((word, at) => words[at] === word));
  return fitting.find(({ name }) => name.includes(' ')) ?? fitting[0];
}

/** The commands of a group: `cc list`, `cc run`. */
export function listGroup(program: Program, group: string): readonly Command[] {
  return listVisible(program).filter(({ name }) => name.startsWith(`${group} `));
}

/** The words that a command line can begin with, each once. */
export function listFirstWords(program: Program): readonly string[] {
  return [...new Set(listVisible(program).map(({ name }) => name.split(' ')[0]!))];
}

/** Whether a word begins the names of several commands: `cc`. */
export function isGroup(program: Program, word: string | undefined): boolean {
  return word !== undefined && listGroup(program, word).length > 0;
}

/** `edit [session]`, `cc run <task>`, `search <words…>`. */
export function showSynopsis({ name, positionals }: Command): string {
  const words = positionals.map(({ name: word, required, many }) => {
    const shown = many ? `${word}…` : word;
    return required ? `<${shown}>` : `[${shown}]`;
  });
  return [name, ...words].join(' ');
}
