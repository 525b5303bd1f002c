/** What flags and words mean beyond their declaration. Each function throws a `USAGE` error that names the flag. */
import { type AskModel, makeAnthropicModel } from '@openbot/claude-code';
import {
  OpenBotError,
  parseSessionLabel,
  redactSecrets,
  resolveAgentId,
  resolveStateDir,
  SESSION_LABEL_MAX_LENGTH,
} from '@openbot/sessions';
import { type CommandInput, type FlagValues, longFlag } from '@openbot/sessions/command-line';
import { AGENT_ID_ENV_NAMES, type Environment, resolveUserPath } from '@openbot/sessions/layout';
import { isRule } from '../../permissions/rules.ts';
import type { RUN_FLAGS, SEARCH_FLAGS } from './flags.ts';

/** The input of every command that looks for sessions. */
export type SearchInput = CommandInput<typeof SEARCH_FLAGS>;

/** Refuses two flags that contradict each other. */
export function refuseBoth(flags: Readonly<Record<string, unknown>>, one: string, other: string): void {
  if (!flags[one] || !flags[other]) return;
  throw usage(`${longFlag(one)} and ${longFlag(other)} contradict each other`, 'Leave one of them out');
}

/** The rules of `--allow`, which can be repeated. Commas separate rules, except inside their brackets. */
export function readRules({
  flags,
}: {
  readonly flags: FlagValues<Pick<typeof RUN_FLAGS, 'allow'>>;
}): string[] {
  const rules = flags.allow?.flatMap(splitRules) ?? [];
  const wrong = rules.find((rule) => !isRule(rule));
  if (wrong === undefined) return rules;
  throw usage(
    `'${wrong}' is not a rule for --allow`,
    "A rule is the name of a tool, with or without what it may do: --allow 'Read,Bash(git status:*)'",
  );
}

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

export function readLabel({ label }: FlagValues<Pick<typeof RUN_FLAGS, 'label'>>): string | undefined {
  if (label === undefined) return undefined;
  // Labels are stored and compared in their redacted form.
  if (parseSessionLabel(label).ok) return redactSecrets(label);
  throw usage(
    `--label takes at most ${SESSION_LABEL_MAX_LENGTH} characters on one line, without control characters`,
    'Example: --label release',
  );
}

interface AgentState {
  readonly stateDir: string;
  readonly agentId: string;
}

export function readAgentState({ flags, env }: SearchInput): AgentState {
  return { stateDir: resolveStateDir({ flag: flags.stateDir, env }), agentId: readAgentId(flags.agent, env) };
}

function readAgentId(flag: string | undefined, env: Environment): string {
  try {
    return resolveAgentId({ flag, env });
  } catch (error) {
    const variable = AGENT_ID_ENV_NAMES.find((name) => env[name]?.trim());
    if (flag !== undefined || variable === undefined) throw error;
    throw usage(`${variable}: ${(error as Error).message}`, `Correct ${variable}, or unset it`);
  }
}

/** Default: the working folder. */
export function readRepoPath(input: SearchInput): string {
  const { repo } = input.flags;
  return repo === undefined ? input.cwd : resolveUserPath(repo, input.env);
}

/** The task of a command: its word, or the content of standard input if that word is a dash. */
export async function readTask(input: SearchInput, command: string): Promise<string> {
  const [word = ''] = input.words;
  if (word !== '-') return checkTask(word, 'What is the task?', command);
  if (input.isInteractive) input.terminal.warn('Type the task, then press Ctrl-D on an empty line.\n');
  const task = await input.readInput();
  return checkTask(task.trim(), 'Standard input has no task', command);
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
