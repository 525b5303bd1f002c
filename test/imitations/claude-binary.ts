/**
 * The real Claude Code program, as the Agent SDK's platform package brings it, run against an imitation of the
 * Messages API: an environment of its own, settings, HOME and config folder in a temp folder, nothing of the person's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** Where the program is, or why it is not there: a platform without its package, or an install without options. */
export type ClaudeBinary = { readonly path: string } | { readonly missing: string };

export function findClaudeBinary(): ClaudeBinary {
  const require = createRequire(import.meta.url);
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  const packages = [`${process.platform}-${process.arch}`, `${process.platform}-${process.arch}-musl`];
  for (const platform of packages) {
    try {
      const path = join(
        dirname(require.resolve(`@anthropic-ai/claude-agent-sdk-${platform}/package.json`)),
        name,
      );
      if (existsSync(path)) return { path };
    } catch {}
  }
  return { missing: `@anthropic-ai/claude-agent-sdk-${packages[0]} is not installed` };
}

export interface ClaudeHome {
  /** The temp folder that all the others are in. */
  readonly root: string;
  readonly cwd: string;
  /** CLAUDE_CONFIG_DIR. */
  readonly config: string;
  /** Of the sessions that were started in `cwd`. */
  readonly projectFolder: string;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  transcriptPath(sessionId: string): string;
  /** The lines of a transcript, parsed. */
  readTranscript(sessionId: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

/** Temp folders and an environment in which the program knows only the server at `apiUrl`. */
export async function makeClaudeHome(apiUrl: string): Promise<ClaudeHome> {
  const root = realpathSync(await mkdtemp(join(tmpdir(), 'openbot-claude-')));
  const [home, cwd, config, temp] = ['home', 'work', 'config', 'temp'].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [home, cwd, config, temp]) await mkdir(folder);
  const projectFolder = join(config, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
  const transcriptPath = (sessionId: string): string => join(projectFolder, `${sessionId}.jsonl`);
  return {
    root,
    cwd,
    config,
    projectFolder,
    env: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      ...(process.env.SYSTEMROOT === undefined ? {} : { SYSTEMROOT: process.env.SYSTEMROOT }),
      HOME: home,
      USERPROFILE: home,
      TMPDIR: temp,
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      CLAUDE_CONFIG_DIR: config,
      ANTHROPIC_BASE_URL: apiUrl,
      ANTHROPIC_API_KEY: 'sk-ant-imitation',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      NO_PROXY: '127.0.0.1,localhost',
      // A run ends before what the optimizing compiler of its runtime makes is of use.
      BUN_JSC_useDFGJIT: '0',
    },
    transcriptPath,
    async readTranscript(sessionId) {
      const content = await readFile(transcriptPath(sessionId), 'utf8');
      return content
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

export interface ClaudeRunOptions {
  readonly resume?: string;
  readonly sessionId?: string;
  /** Tools that run unasked; those of the script. */
  readonly allowedTools?: readonly string[];
  readonly extraArguments?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ClaudeRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What `--output-format json` printed; undefined when it is no JSON. */
  readonly result: ClaudeResult | undefined;
}

export interface ClaudeResult {
  readonly session_id: string;
  readonly is_error: boolean;
  readonly subtype: string;
  readonly result?: string;
  readonly num_turns: number;
}

/** A run that takes this long hangs: the program needs about a second. */
const HANG_MS = 90_000;

/** One run of the program: `claude -p <prompt>`, to its end. */
export function runClaude(
  binary: string,
  home: ClaudeHome,
  prompt: string,
  options: ClaudeRunOptions = {},
): Promise<ClaudeRun> {
  const words = ['-p', prompt, '--output-format', 'json', ...wordsFor(options)];
  return new Promise((resolve, reject) => {
    const child = spawn(binary, words, {
      cwd: home.cwd,
      env: { ...home.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const hang = setTimeout(() => child.kill('SIGKILL'), HANG_MS);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      stderr += piece;
    });
    child.once('error', (error) => {
      clearTimeout(hang);
      reject(error);
    });
    child.once('close', (exitCode) => {
      clearTimeout(hang);
      resolve({ exitCode, stdout, stderr, result: parseResult(stdout) });
    });
  });
}

/**
 * One run of the program that is given one prompt after another, each when the turn before is over: a process for each
 * would take most of the time.
 * @param beforeTurn is called right before a prompt is sent
 */
export async function runClaudeTurns(
  binary: string,
  home: ClaudeHome,
  prompts: readonly string[],
  beforeTurn: (index: number) => void,
  options: ClaudeRunOptions = {},
): Promise<{ readonly exitCode: number | null; readonly results: readonly ClaudeResult[] }> {
  const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const child = spawn(binary, ['-p', ...streams, ...wordsFor(options)], {
    cwd: home.cwd,
    env: { ...home.env, ...options.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const hang = setTimeout(() => child.kill('SIGKILL'), HANG_MS * prompts.length);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const results: ClaudeResult[] = [];
  const sendNext = (): void => {
    const content = prompts[results.length];
    if (content === undefined) return void child.stdin.end();
    beforeTurn(results.length);
    child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
  };
  sendNext();
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as ClaudeResult & { type: string };
    if (message.type !== 'result') continue;
    results.push(message);
    sendNext();
  }
  const [exitCode] = await ended;
  clearTimeout(hang);
  return { exitCode, results };
}

function wordsFor(options: ClaudeRunOptions): string[] {
  const words = ['--setting-sources', '', '--strict-mcp-config'];
  if (options.resume !== undefined) words.push('--resume', options.resume);
  if (options.sessionId !== undefined) words.push('--session-id', options.sessionId);
  words.push(...(options.extraArguments ?? []));
  if (options.allowedTools !== undefined) words.push('--allowedTools', options.allowedTools.join(','));
  return words;
}

function parseResult(stdout: string): ClaudeResult | undefined {
  try {
    return JSON.parse(stdout) as ClaudeResult;
  } catch {
    return undefined;
  }
}
