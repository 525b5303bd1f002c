import { splitShellWords } from './shell-words.ts';

/**
 * How well a tool call fits a running command. `exact`: a shell would run exactly these words. `loose`: it contains
 * the words in this order, with quotes and brackets of another language between them. `verb`: it contains the program and
 * its first word.
 */
export const STRENGTHS = ['exact', 'loose', 'verb'] as const;
export type Strength = (typeof STRENGTHS)[number];

/** `openbot clean edit` is a command of occ too. */
const PROGRAMS = new Set(['occ', 'oc-context-cleaner', 'openbot']);
const DEEPEST_QUOTING = 3;

/** @param commandLine the words of the running command, the program first */
export function matchCommand(callArguments: unknown, commandLine: readonly string[]): Strength | undefined {
  const words = commandLine.slice(1);
  const texts = collectTexts(callArguments);
  const commands = [
    ...collectWordLists(callArguments),
    ...texts.flatMap((text) => commandsOf(text, DEEPEST_QUOTING)),
  ];
  if (commands.some((command) => isSameCommand(command, words))) return 'exact';
  const flat = texts.map(flatten).join(' \n ');
  if (pattern(words, '\\s').test(flat)) return 'loose';
  if (words[0] !== undefined && pattern([words[0]], '\\s(?:[^\\n]*\\s)?').test(flat)) return 'verb';
  return undefined;
}

/** Quoted words are parsed as commands too: `bash -c "…"`. */
function commandsOf(text: string, depth: number): string[][] {
  const commands = splitShellWords(text);
  if (depth === 0) return commands;
  const quoted = commands.flat().filter((word) => /\s/.test(word) && word !== text);
  return [...commands, ...quoted.flatMap((word) => commandsOf(word, depth - 1))];
}

/** Other programs may start it: `FOO=1 npx occ`, `timeout 9 node /x/occ.js`. */
function isSameCommand(command: readonly string[], words: readonly string[]): boolean {
  return command.some((word, at) => {
    if (!isProgram(word)) return false;
    const rest = command.slice(at + 1);
    if (rest[0] === '--' && words[0] !== '--') rest.shift();
    return rest.length === words.length && rest.every((one, index) => one === words[index]);
  });
}

/** `occ`, `/usr/bin/occ`, `bin/occ.js`, `oc-context-cleaner@0.1.0` */
function isProgram(word: string): boolean {
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  return PROGRAMS.has(name.replace(/@.*$/, '').replace(/\.(?:[cm]?[jt]s|cmd|exe|ps1)$/, ''));
}

/** All strings in a value, in order. */
function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : [];
}

/** Commands that are given as lists: `["occ", "edit"]`, or `{"command": "occ", "args": ["edit"]}`. */
function collectWordLists(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const own = isWordList(value) ? [value] : [];
  const { command, args } = value as { command?: unknown; args?: unknown };
  const split = typeof command === 'string' && isWordList(args) ? [[command, ...args]] : [];
  return [...own, ...split, ...Object.values(value).flatMap(collectWordLists)];
}

function isWordList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string');
}

/** Replaces quotes, brackets and commas. Characters of words and ends of commands stay. */
function flatten(text: string): string {
  return text.replace(/[;&|\n]+/g, '\n').replace(/[^\w\n=./\\:@~+%-]+/g, ' ');
}

function pattern(words: readonly string[], gap: string): RegExp {
  const parts = words.map((word) => flatten(word).trim().split(' ').map(escapePattern).join('\\s'));
  const program = `(?:^|[\\s/\\\\])(?:${[...PROGRAMS].join('|')})(?:@[\\w.-]+)?(?:\\.[a-z0-9]+)?`;
  return new RegExp(`${program}${parts.map((part) => gap + part).join('')}(?=\\s|$)`);
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
