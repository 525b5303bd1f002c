/** A session that the real Claude Code writes, with what a clean must cope with, and the means to go on with it. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  type ClaudeHome,
  type ClaudeRun,
  type ClaudeRunOptions,
  findClaudeBinary,
  makeClaudeHome,
  runClaude,
  runClaudeTurns,
} from '../../../../test/imitations/claude-binary.ts';
import {
  type MessagesApi,
  type MessagesApiOptions,
  startMessagesApi,
} from '../../../../test/imitations/messages-api.ts';
import {
  call,
  type MessageReply,
  type MessagesRequest,
  type ReplyUsage,
  say,
  think,
} from '../../../../test/imitations/messages-format.ts';
import { type OccRun, type RunHereOptions, runOccHere } from '../setup/run-occ.ts';

const binary = findClaudeBinary();
/** Why the real program cannot be run here; undefined where it can. */
export const CLAUDE_MISSING = 'missing' in binary ? binary.missing : undefined;

export const SESSION_ID = '5e551011-0000-4000-8000-000000000001';
/** More characters than a shortened argument may have. */
export const LONG_COMMAND = `echo ${'long '.repeat(60)}`;

/** Sets what Claude Code's server would say of thinking whose conversation was changed: `drop`, `block` or `off`. */
export const flaggedEnv = (flag: string): Record<string, string> => ({
  CLAUDE_CODE_POLISHED_DEWDROP: flag,
  // The variable counts at Anthropic's address alone.
  _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: '1',
  // With an API key it waits there for settings of the organisation, which it asks the real address for.
  ANTHROPIC_API_KEY: '',
  ANTHROPIC_AUTH_TOKEN: 'imitation',
});

export interface ScriptedTurn {
  readonly prompt: string;
  readonly replies: readonly MessageReply[];
}

/** What the model says in the session, turn by turn. Calls 2 to 4 run side by side. */
const TURNS: readonly ScriptedTurn[] = [
  {
    prompt: 'first question',
    replies: [
      {
        blocks: [
          think('A command.'),
          say('Let me look.'),
          call('toolu_1', 'Bash', { command: 'seq 1 60', description: 'count' }),
        ],
      },
      { blocks: [say('First done.')] },
    ],
  },
  {
    prompt: 'second question',
    replies: [
      {
        blocks: [
          think('Three at once.'),
          say('All of them now.'),
          call('toolu_2', 'Bash', { command: LONG_COMMAND, description: 'long words' }),
          call('toolu_3', 'Bash', { command: 'seq 1 60', description: 'count' }),
          call('toolu_4', 'Bash', { command: 'ls no-such-folder', description: 'fails' }),
        ],
      },
      {
        blocks: [think('One more.'), call('toolu_5', 'Bash', { command: 'seq 1 60', description: 'count' })],
      },
      { blocks: [say('Second done.')] },
    ],
  },
  { prompt: 'third question', replies: [{ blocks: [think('Easy.'), say('Third done.')] }] },
  {
    prompt: 'fourth question',
    replies: [
      {
        blocks: [say('Again.'), call('toolu_6', 'Bash', { command: 'seq 1 60', description: 'count' })],
      },
      { blocks: [think('All seen.'), say('Fourth done.')] },
    ],
  },
];

/** The session as the model is told it, before any clean. */
export const WHOLE_CONVERSATION = [
  'user | first question',
  'assistant | (A command.) | Let me look. | call toolu_1',
  'user | result toolu_1',
  'assistant | First done.',
  'user | second question',
  'assistant | (Three at once.) | All of them now. | call toolu_2 | call toolu_3 | call toolu_4',
  'user | result toolu_2 | result toolu_3 | result toolu_4',
  'assistant | (One more.) | call toolu_5',
  'user | result toolu_5',
  'assistant | Second done.',
  'user | third question',
  'assistant | (Easy.) | Third done.',
  'user | fourth question',
  'assistant | Again. | call toolu_6',
  'user | result toolu_6',
  'assistant | (All seen.) | Fourth done.',
];

export interface ClaudeSession {
  readonly api: MessagesApi;
  readonly home: ClaudeHome;
  readonly path: string;
  /** Puts the project folder back to the session alone, as it was written. */
  reset(): Promise<void>;
  /** Runs occ, in this process, where Claude Code's folder is the session's. */
  occ(words: readonly string[], options?: RunHereOptions): Promise<OccRun>;
  /** One more turn of the real program, in which the model says `ok`. */
  resume(prompt: string, options?: ClaudeRunOptions): Promise<Resumed>;
  /** The same, in which the model says what the script says. */
  talk(prompt: string, replies: MessagesApiOptions['replies'], options?: ClaudeRunOptions): Promise<Resumed>;
  close(): Promise<void>;
}

export interface Resumed {
  readonly run: ClaudeRun;
  /** All requests of the run. */
  readonly requests: readonly MessagesRequest[];
}

/** Claude Code with no session yet. */
export async function openClaude(): Promise<ClaudeSession> {
  const api = await startMessagesApi({ replies: [] });
  const home = await makeClaudeHome(api.url);
  const path = home.transcriptPath(SESSION_ID);
  let written: Buffer | undefined;
  const talk: ClaudeSession['talk'] = async (prompt, replies, options = {}) => {
    api.setReplies(replies);
    const before = api.conversations.length;
    const begins = options.sessionId !== undefined;
    const run = await runReal(home, prompt, begins ? options : { resume: SESSION_ID, ...options });
    expect(api.faults).toEqual([]);
    return { run, requests: api.conversations.slice(before) };
  };
  return {
    api,
    home,
    path,
    async reset() {
      written ??= await readFile(path);
      for (const name of await readdir(home.projectFolder)) {
        await rm(join(home.projectFolder, name), { recursive: true, force: true });
      }
      await writeFile(path, written);
    },
    occ(words, options = {}) {
      return runOccHere(words, { ...options, env: { CLAUDE_CONFIG_DIR: home.config, ...options.env } });
    },
    resume: (prompt, options) => talk(prompt, () => ({ blocks: [say('ok')] }), options),
    talk,
    async close() {
      await api.close();
      await home.remove();
    },
  };
}

/**
 * Claude Code with one session: of four turns, three of them with tools, unless given others. The recorded usage is what
 * the requests weigh.
 */
export async function writeClaudeSession(
  turns = TURNS,
  options: ClaudeRunOptions = {},
): Promise<ClaudeSession> {
  const session = await openClaude();
  try {
    if ('missing' in binary) throw new Error(binary.missing);
    const run = await runClaudeTurns(
      binary.path,
      session.home,
      turns.map(({ prompt }) => prompt),
      (turn) =>
        session.api.setReplies((request, count) => ({
          ...turns[turn]!.replies[count]!,
          usage: weigh(request),
        })),
      { sessionId: SESSION_ID, allowedTools: ['Bash'], ...options },
    );
    expect([run.exitCode, run.results.map(({ is_error }) => is_error)]).toEqual([0, turns.map(() => false)]);
  } catch (error) {
    await session.close();
    throw error;
  }
  return session;
}

/** Mostly read from the cache, as in a real session. */
function weigh(request: MessagesRequest): ReplyUsage {
  const tokens = Math.ceil(JSON.stringify(request).length / 4);
  return {
    input_tokens: 5,
    cache_creation_input_tokens: 1000,
    cache_read_input_tokens: tokens,
    output_tokens: 10,
  };
}

async function runReal(home: ClaudeHome, prompt: string, options: ClaudeRunOptions): Promise<ClaudeRun> {
  if ('missing' in binary) throw new Error(binary.missing);
  const run = await runClaude(binary.path, home, prompt, { allowedTools: ['Bash'], ...options });
  expect(run, `claude -p '${prompt}'`).toMatchObject({ exitCode: 0, result: { is_error: false } });
  return run;
}
