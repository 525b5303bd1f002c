/** The values of flags and words, checked. Each function throws a `USAGE` error that names the flag. */
import { type AskModel, makeAnthropicModel } from '@openbot/claude-code';
import {
  OpenBotError,
  parseSessionLabel,
  redactSecrets,
  resolveAgentId,
  resolveStateDir,
  SESSION_LABEL_MAX_LENGTH,
} from '@openbot/sessions';
import { AGENT_ID_ENV_NAMES, type Environment, resolveUserPath } from '@openbot/sessions/layout';
import type { CommandInput } from './command.ts';

type Flags = Pick<CommandInput, 'flags'>;

export function readText({ flags }: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** A text that must not be empty. `example` is for the hint. */
export function readName(input: Flags, name: string, example: string): string | undefined {
  const text = readText(input, name);
  if (text?.trim() === '') {
    throw usage(`--${name} is empty`, `Leave it out, or give it a value: --${name} ${example}`);
  }
  return text?.trim();
}

/** Refuses two flags that contradict each other. */
export function refuseBoth({ flags }: Flags, one: string, other: string): void {
  const isGiven = (name: string) => flags[name] !== undefined && flags[name] !== false;
  if (!isGiven(one) || !isGiven(other)) return;
  throw usage(`--${one} and --${other} contradict each other`, 'Leave one of them out');
}

/** Less would be displayed as zero. */
const LEAST_BUDGET = 0.0001;

/** An amount in US dollars. */
export function readBudget(input: Flags): number | undefined {
  const text = readText(input, 'budget');
  if (text === undefined) return undefined;
  const [, amount] = /^\$?(\d+(?:\.\d+)?)$/.exec(text.trim()) ?? [];
  if (amount !== undefined && Number(amount) >= LEAST_BUDGET) return Number(amount);
  throw usage(`--budget takes an amount in US dollars, not '${text}'`, 'Example: --budget 2.50');
}

/** A number from 0 to 1. */
export function readFraction(input: Flags, name: string): number | undefined {
  const text = readText(input, name);
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && value <= 1) return value;
  throw usage(`--${name} takes a number from 0 to 1, not '${text}'`, `Example: --${name} 0.7`);
}

export function readCount(input: Flags, name: string): number | undefined {
  const text = readText(input, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usage(`--${name} takes a whole number of at least 1, not '${text}'`, `Example: --${name} 20`);
}

/** The rules of `--allow`, which can be repeated. Commas separate rules, except inside their brackets. */
export function readRules({ flags }: Flags): string[] {
  const { allow = [] } = flags;
  const rules = Array.isArray(allow) ? (allow as readonly string[]).flatMap(splitRules) : [];
  const wrong = rules.find((rule) => !RULE.test(rule));
  if (wrong === undefined) return rules;
  throw usage(
    `--allow does not understand '${wrong}'`,
    "A rule is a tool, or a tool with what it may do: --allow 'Read,Bash(git status:*)'",
  );
}

const RULE = /^[\p{L}\w.*-]+(?:\(.+\))?$/su;

function splitRules(text: string): string[] {
  const rules = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === ',' && depth <= 0) rules.push('');
    else rules[rules.length - 1] += char;
  }
  return rules.map((rule) => rule.trim()).filter((rule) => rule !== '');
}

export function readLabel(input: Flags): string | undefined {
  const label = readName(input, 'label', 'release');
  if (label === undefined) return undefined;
  // Labels are stored and compared in their redacted form.
  if (parseSessionLabel(label).ok) return redactSecrets(label);
  throw usage(
    `--label takes at most ${SESSION_LABEL_MAX_LENGTH} characters on one line, without control characters`,
    'Example: --label release',
  );
}

export interface AgentState {
  readonly stateDir: string;
  readonly agentId: string;
}

export function readAgentState(input: CommandInput): AgentState {
  const { env } = input;
  const stateDir = resolveStateDir({ flag: readName(input, 'state-dir', '~/.openbot'), env });
  return { stateDir, agentId: readAgentId(input) };
}

function readAgentId(input: CommandInput): string {
  const { env } = input;
  const flag = readName(input, 'agent', 'main');
  try {
    return resolveAgentId({ flag, env });
  } catch (error) {
    const variable = AGENT_ID_ENV_NAMES.find((name) => env[name]?.trim());
    if (flag !== undefined || variable === undefined) throw error;
    throw usage(`${variable}: ${(error as Error).message}`, `Correct ${variable}, or unset it`);
  }
}

/** Default: the working folder. */
export function readRepoPath(input: CommandInput): string {
  const repo = readText(input, 'repo');
  if (repo === undefined) return input.cwd;
  if (repo.trim() !== '') return resolveUserPath(repo, input.env);
  throw usage('--repo names no folder', 'Leave it out for the current folder, or name one: --repo ~/project');
}

/** The task of a command: its word, or the content of standard input if that word is a dash. */
export async function readTask(input: CommandInput, command: string): Promise<string> {
  const [word = ''] = input.words;
  if (word !== '-') return checkTask(word, 'What is the task?', command);
  if (input.isInteractive) input.terminal.writeError('Type the task. Ctrl-D on a line of its own ends it.\n');
  const task = await input.readInput();
  return checkTask(task.trim(), 'There is no task on standard input', command);
}

function checkTask(task: string, complaint: string, command: string): string {
  if (task.trim() !== '') return task;
  const example = `openbot ${command} "fix the failing login test"`;
  throw usage(complaint, `Example: ${example}, or: openbot ${command} - < task.md`);
}

/** The model that rates sessions. Undefined without an API key: sessions are then rated by their words. */
export function makeModel(env: Environment): AskModel | undefined {
  const apiKey = env.ANTHROPIC_API_KEY;
  if (apiKey === undefined || apiKey.trim() === '') return undefined;
  return makeAnthropicModel({ apiKey, baseUrl: env.ANTHROPIC_BASE_URL });
}

function usage(message: string, hint: string): OpenBotError {
  return new OpenBotError('USAGE', message, { hint });
}
