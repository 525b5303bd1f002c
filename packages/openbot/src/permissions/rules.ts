/**
 * Rules about tools, in Claude Code's syntax: `Read`, `Bash(git status)`, `Bash(git log:*)`, `Edit(src/**)`,
 * `WebFetch(domain:example.org)`, `mcp__server`. They compare names and texts; where links lead is looked up only by
 * `RulePlaces.findRealPath`, and what a shell starts is read elsewhere (`started-commands.ts`).
 */
import { basename, isAbsolute, join, posix, relative, resolve } from 'node:path';
import { nameOfProgram, type ShellWord } from './shell-words.ts';
import type { StartedCommands } from './started-commands.ts';

/** A call of a tool. */
export interface ToolUse {
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What paths in rules and calls are relative to. */
export interface RulePlaces {
  readonly workspaceDir: string;
  readonly home?: string;
  /** Where links lead: then real paths are compared, in place of names. */
  findRealPath?(path: string): string;
}

const RULE = /^([\p{L}\w.*-]+)(?:\((.+)\))?$/su;

export function isRule(text: string): boolean {
  return RULE.test(text);
}

/** Claude Code's names, which rules may use for tools of other names that do the same. */
const ALSO_CALLED: Readonly<Record<string, readonly string[]>> = {
  exec: ['Bash'],
  Monitor: ['Bash'],
  read_file: ['Read'],
  list_files: ['Glob'],
  grep: ['Grep'],
  edit_file: ['Edit'],
  write_file: ['Write', 'Edit'],
  Write: ['Edit'],
  NotebookEdit: ['Edit'],
};

const namesOf = (toolName: string) => [toolName, ...(ALSO_CALLED[toolName] ?? [])];

/** The first rule that allows a call. A pattern of a command covers only a simple one, without a second command in it. */
export function findAllowing(rules: readonly string[], use: ToolUse, places: RulePlaces): string | undefined {
  return rules.find((rule) => matches(rule, use, places, { matchCommand: allowsCommand, hostOf }));
}

/** The use that shows what is in a file, for rules about reading. */
export function readingOf(path: string): ToolUse {
  return { toolName: 'read_file', arguments: { path } };
}

const OF_FILES = /^(?:Read|read_file)(\([^()]+\))$/;

/** The rules about files that must not be read, as Claude Code writes them. It leaves such files out of searches. */
export function listUnreadable(rules: readonly string[]): string[] {
  return rules.flatMap((rule) => {
    const [, files] = OF_FILES.exec(rule) ?? [];
    return files === undefined ? [] : [`Read${files}`];
  });
}

/** Tools that show lines of files: what must not be read must not be searched either. */
const SEARCHING: readonly string[] = ['grep', 'Grep'];

/** A rule that forbids a call. */
export interface Denial {
  readonly rule: string;
  /** Why the call cannot be told from one that the rule forbids. Absent where it is one. */
  readonly doubt?: string;
}

/**
 * The first rule that forbids a call.
 * @param started what a shell starts for its command. Without that, rules about commands forbid each command.
 */
export function findDenying(
  rules: readonly string[],
  use: ToolUse,
  places: RulePlaces,
  started: StartedCommands = { commands: [], doubtful: 'it was not read' },
): Denial | undefined {
  const isSearch = SEARCHING.includes(use.toolName);
  const uses = isSearch ? [use, readingOf(pathIn(use.arguments) ?? '.')] : [use];
  const find = (matchCommand: Matchers['matchCommand']) =>
    rules.find((rule) =>
      uses.some((one) => matches(rule, one, places, { matchCommand, hostOf: hostOfLoose })),
    );
  const rule = find((pattern, command) => forbidsCommand(pattern, command, started));
  if (rule !== undefined) return { rule };
  const doubted = started.doubtful === undefined ? undefined : find(() => true);
  return doubted === undefined ? undefined : { rule: doubted, doubt: started.doubtful };
}

interface Matchers {
  matchCommand(pattern: string, command: string): boolean;
  /** Undefined where it could be any. */
  hostOf(url: string): string | undefined;
}

function matches(
  rule: string,
  { toolName, arguments: args }: ToolUse,
  places: RulePlaces,
  { matchCommand, hostOf }: Matchers,
): boolean {
  const [, name = '', detail] = RULE.exec(rule) ?? [];
  const isNamed = namesOf(toolName).some((own) => matchesWild(name, own) || isOfServer(name, own));
  if (!isNamed || detail === undefined) return isNamed;
  const { command, url } = args;
  const path = pathIn(args);
  if (typeof command === 'string') return matchCommand(detail, command.trim());
  if (path !== undefined) return matchesPath(detail, path, places);
  if (typeof url === 'string') return matchesDomain(detail, url, hostOf);
  return Object.values(args).some((value) => typeof value === 'string' && matchesWild(detail, value));
}

function isOfServer(rule: string, toolName: string): boolean {
  return /^mcp__[^*]+$/.test(rule) && toolName.startsWith(`${rule}__`);
}

function pathIn({
  file_path: file,
  notebook_path: notebook,
  path,
}: ToolUse['arguments']): string | undefined {
  return [file, notebook, path].find((value) => typeof value === 'string');
}

/** Exactly this command; with `:*` or `*`, simple commands of this form. */
export function allowsCommand(pattern: string, command: string): boolean {
  return pattern === command || (SIMPLE.test(command) && matchesPattern(pattern, command));
}

/** Characters that could begin a second command, redirect output or be expanded. */
const SIMPLE = /^[^;&|<>`$(){}\\\r\n\0]+$/;

function matchesPattern(pattern: string, command: string): boolean {
  const prefix = pattern.endsWith(':*') ? pattern.slice(0, -2) : undefined;
  if (prefix === undefined) return matchesWild(pattern, command);
  return prefix === '' || command === prefix || command.startsWith(`${prefix} `);
}

/** Whether a command, or one that it starts, is of this form. */
function forbidsCommand(pattern: string, command: string, { commands }: StartedCommands): boolean {
  return (
    matchesPattern(pattern, command) ||
    commands.some(
      ({ words, source }) =>
        (source !== undefined && matchesPattern(pattern, source)) || mayMatch(pattern, words),
    )
  );
}

/** Words that are known only when the command runs could be any, as far as the pattern has no star. */
function mayMatch(pattern: string, words: readonly ShellWord[]): boolean {
  // Where a program is does not tell which one it is: what names `/bin/rm` means `rm`.
  const named = pattern.replace(/^[^\s*]*\/(?=[^\s*/])/, '');
  return mayMatchAs(pattern, words) || (named !== pattern && mayMatchAs(named, words));
}

function mayMatchAs(pattern: string, [program, ...args]: readonly ShellWord[]): boolean {
  if (program?.text === undefined) return true;
  const { text } = program;
  const rest = args.map((word) => ` ${word.text ?? word.source}`).join('');
  const at = args.findIndex((word) => word.text === undefined);
  const unknown = args[at];
  const before = args.slice(0, Math.max(at, 0)).map((word) => ` ${word.text}`);
  const fixed = pattern.endsWith(':*') ? pattern.slice(0, -2) : pattern.split('*', 1)[0]!;
  const names = new Set([text, text.slice(text.lastIndexOf('/') + 1), nameOfProgram(text)]);
  return [...names].some((name) => {
    if (matchesPattern(pattern, name + rest)) return true;
    if (unknown === undefined) return false;
    const known = name + before.join('');
    return fixed.startsWith(`${known} ${unknown.start}`) || (unknown.isSplit && fixed === known);
  });
}

/** Without backtracking into earlier stars: linear in the length of the text for each star. */
function matchesWild(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  const last = rest.pop()!;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** As in a .gitignore: a name without a slash at any depth, a folder with all below it. `//` begins an absolute path. */
function matchesPath(pattern: string, path: string, places: RulePlaces): boolean {
  const { workspaceDir, home, findRealPath = (named) => named } = places;
  const wanted = findRealPath(resolve(workspaceDir, path));
  if (!pattern.includes('/')) {
    const inside = relative(workspaceDir, wanted);
    const isInside = inside !== '..' && !inside.startsWith('../') && !isAbsolute(inside);
    return isInside && (matchesWild(pattern, basename(wanted)) || inside.split('/').includes(pattern));
  }
  if (pattern.startsWith('~/') && home === undefined) return false;
  const full = pattern.startsWith('//')
    ? pattern.slice(1)
    : pattern.startsWith('~/')
      ? join(home!, pattern.slice(2))
      : join(workspaceDir, pattern);
  const parts = posix.normalize(full).replace(/\/$/, '').split('/');
  const star = parts.findIndex((part) => part.includes('*'));
  const fixed = star < 0 ? parts : parts.slice(0, star);
  const folder = findRealPath(fixed.join('/') || '/').split('/');
  // The root has an empty name behind its slash.
  const from = folder.at(-1) === '' ? folder.slice(0, -1) : folder;
  return matchesSegments([...from, ...parts.slice(fixed.length)], wanted.split('/'));
}

/** A pattern that is used up matches what is left: it names a folder above. */
function matchesSegments(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return true;
  if (first === '**') return path.some((_, at) => matchesSegments(rest, path.slice(at)));
  const [own, ...below] = path;
  return own !== undefined && matchesWild(first, own) && matchesSegments(rest, below);
}

function matchesDomain(pattern: string, url: string, readHost: Matchers['hostOf']): boolean {
  const name = /^domain:(.+)$/.exec(pattern)?.[1];
  if (name === undefined) return matchesWild(pattern, url);
  const domain = hostOf(`https://${name}`) || name;
  const host = readHost(url);
  return host === undefined || host === domain || host.endsWith(`.${domain}`);
}

/** Empty where it has none. */
function hostOf(url: string): string {
  // `example.org.` is the same host.
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : '';
}

/** Also of an address without a scheme. Undefined where it could be any. */
function hostOfLoose(url: string): string | undefined {
  const hasScheme = /^\s*[a-z][a-z\d+.-]*:\/\//i.test(url);
  return hostOf(url) || (hasScheme ? undefined : hostOf(`https://${url}`)) || undefined;
}

/** The kind of rule by tool: `Edit` rules cover `Write` too. */
const FILE_RULES: Readonly<Record<string, string>> = { Read: 'Read', Write: 'Edit', Edit: 'Edit' };

/** Whether a rule can name the file of a call of this tool. */
export function hasFileRule(toolName: string): boolean {
  return toolName in FILE_RULES;
}

/** The narrowest simple rule that would have allowed a call. Undefined where only a rule for every use of the tool would do. */
export function suggestNarrow({ toolName, arguments: args }: ToolUse): string | undefined {
  const { command, file_path: path, path: relativePath, url } = args;
  if (namesOf(toolName).includes('Bash')) {
    const isSimple = typeof command === 'string' && SIMPLE_COMMAND.test(command.trim());
    return isSimple ? `${toolName}(${command.trim()})` : undefined;
  }
  const fileRule = FILE_RULES[toolName];
  if (fileRule !== undefined)
    // In a rule an absolute path begins with two slashes.
    return typeof path === 'string' && SIMPLE_PATH.test(path) ? `${fileRule}(/${path})` : undefined;
  if (toolName in ALSO_CALLED) {
    const isSimple = typeof relativePath === 'string' && SIMPLE_PATH.test(`/${relativePath}`);
    return isSimple ? `${toolName}(./${relativePath})` : undefined;
  }
  return toolName === 'WebFetch' && typeof url === 'string' && URL.canParse(url)
    ? `WebFetch(domain:${new URL(url).hostname})`
    : undefined;
}

/** Without characters that have a meaning in a shell, a rule or a terminal. */
const SIMPLE_COMMAND = /^(?:(?![;&|<>`$()*?[\]{}\\!#])[\x20-\x7e]){1,150}$/;
const SIMPLE_PATH = /^\/(?:(?![*?[\]{}()\\!])[\x20-\x7e\p{L}]){1,200}$/u;
