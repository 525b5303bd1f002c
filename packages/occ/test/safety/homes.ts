/** A home folder with one session in it, of each source, with two edits and their backups behind it. */
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { run } from '../../src/cli/main.ts';
import { createRecordingTerminal } from '../setup/recording-terminal.ts';
import { createSessionWithTurns, formatLines, writeSession } from '../setup/sessions.ts';

export const SESSION_ID = '11111111-2222-3333-4444-555555555555';

export interface Home {
  readonly folder: string;
  readonly source: 'openclaw' | 'pi' | 'claude';
  /** Of the transcript. */
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

type Source = Home['source'];

/** The places that the environment names are all below the folder. */
export function homeIn(folder: string, source: Source): Home {
  const paths = {
    openclaw: join(folder, 'openclaw', 'agents', 'main', 'sessions', `${SESSION_ID}.jsonl`),
    pi: join(folder, 'pi', 'sessions', '--work--', `2026-01-01T00-00-00-000Z_${SESSION_ID}.jsonl`),
    claude: join(folder, 'claude', 'projects', '-work', `${SESSION_ID}.jsonl`),
  };
  const env = {
    HOME: folder,
    OPENCLAW_STATE_DIR: join(folder, 'openclaw'),
    PI_CODING_AGENT_DIR: join(folder, 'pi'),
    CLAUDE_CONFIG_DIR: join(folder, 'claude'),
  };
  return { folder, source, path: paths[source], env };
}

/** Writes the session, edits it twice and lets it be talked to in between. */
export async function furnish(home: Home): Promise<void> {
  const { path, source } = home;
  if (source === 'openclaw') {
    const lines = createSessionWithTurns(6, 2, { tree: true, resultLength: 400, usage: true });
    writeSession(join(home.folder, 'openclaw'), 'main', SESSION_ID, lines, {
      entry: { totalTokens: 90_000 },
    });
  } else {
    mkdirSync(dirname(path), { recursive: true });
    const lines = createSessionWithTurns(6, 2, { tree: true, resultLength: 400, sessionId: SESSION_ID });
    writeFileSync(path, source === 'pi' ? formatLines(lines) : '', { mode: 0o600 });
    if (source === 'claude') for (let turn = 0; turn < 6; turn++) talk(home, `turn ${turn}`);
  }
  await occ(home, ['edit', '--keep', '5']);
  talk(home, 'after the first edit');
  await occ(home, ['edit', '--keep', '4']);
  talk(home, 'after the second edit');
}

/** A copy of the home in another folder, with its times. */
export function copyHome(home: Home, folder: string): Home {
  cpSync(home.folder, folder, { recursive: true, preserveTimestamps: true });
  return homeIn(folder, home.source);
}

/** One command in this process: exit code, and what it printed as JSON. */
export async function occ(home: Home, args: readonly string[]): Promise<{ code: number; output: unknown }> {
  const terminal = createRecordingTerminal();
  const named = args[0] === 'list' ? args : [args[0]!, home.path, ...args.slice(1)];
  const argv = [...named, '--source', home.source, '--json'];
  const code = await run(argv, { env: home.env, cwd: home.folder, terminal });
  if (code !== 0) throw new Error(`occ ${argv.join(' ')}: ${terminal.stderr}`);
  return { code, output: JSON.parse(terminal.stdout) };
}

/** What its agent would append: a question, a call, its result, an answer. */
export function talk(home: Home, about: string): void {
  const lines = home.source === 'claude' ? claudeTurn(home, about) : piTurn(home, about);
  appendFileSync(home.path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function piTurn(home: Home, about: string): object[] {
  const call = `call ${about}`;
  return link(home, 'id', 'parentId', [
    { type: 'message', message: { role: 'user', content: [{ type: 'text', text: `Question ${about}` }] } },
    {
      type: 'message',
      message: {
        role: 'assistant',
        content: [{ type: 'toolCall', id: call, name: 'read', arguments: { path: about } }],
        stopReason: 'toolUse',
      },
    },
    {
      type: 'message',
      message: {
        role: 'toolResult',
        toolCallId: call,
        toolName: 'read',
        content: [{ type: 'text', text: 'result '.repeat(60) }],
        isError: false,
      },
    },
    {
      type: 'message',
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: `Answer ${about}` }],
        stopReason: 'stop',
      },
    },
  ]);
}

function claudeTurn(home: Home, about: string): object[] {
  const call = `toolu_${about}`;
  const common = {
    isSidechain: false,
    userType: 'external',
    cwd: '/work',
    sessionId: SESSION_ID,
    version: '2.1.325',
  };
  const assistant = (id: string, content: object) => ({
    ...common,
    type: 'assistant',
    message: { id: `msg_${id}_${about}`, type: 'message', role: 'assistant', model: 'm', content: [content] },
  });
  const user = (content: unknown) => ({ ...common, type: 'user', message: { role: 'user', content } });
  return link(home, 'uuid', 'parentUuid', [
    user(`Question ${about}`),
    assistant('1', { type: 'tool_use', id: call, name: 'Read', input: { file_path: about } }),
    user([{ type: 'tool_result', tool_use_id: call, content: 'result '.repeat(60) }]),
    assistant('2', { type: 'text', text: `Answer ${about}` }),
  ]);
}

/** Each hangs from the one before, the first from the last line of the file. */
function link(home: Home, idName: string, parentName: string, lines: readonly object[]): object[] {
  let parent = readEntries(home.path).at(-1)?.[idName] ?? null;
  return lines.map((line, index) => {
    const id = `${readFileSync(home.path).length}-${index}`;
    const linked = { [parentName]: parent, [idName]: id, timestamp: '2026-01-01T00:00:00.000Z', ...line };
    parent = id;
    return linked;
  });
}

export function readEntries(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** What people and the assistant said, in order. */
export function readTexts(path: string): string[] {
  // The title of a clone repeats what was said first.
  const said = readFileSync(path, 'utf8').replaceAll(/^.*"type":"custom-title".*\n/gm, '');
  const texts = said.matchAll(/"((?:Question|Answer|User message|Response|Let me check)[^"\\]*)"/g);
  return [...texts].map(([, text]) => text!);
}

/** Ids of calls and of results, each list in order. */
export function readPairs(path: string): { calls: string[]; results: string[] } {
  const text = readFileSync(path, 'utf8');
  const find = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, id]) => id!).sort();
  return {
    calls: find(/"type":"(?:toolCall|tool_use)","id":"([^"]+)"/g),
    results: find(/"(?:toolCallId|tool_use_id)":"([^"]+)"/g),
  };
}

export function backupFolderOf(home: Home): string {
  return join(dirname(home.path), 'backups');
}

/** The backups as they are on disk, by name. */
export function readBackups(home: Home): Map<string, Buffer> {
  const folder = backupFolderOf(home);
  const stem = basename(home.path, '.jsonl');
  const names = readdirSync(folder).filter(
    (name) => name.startsWith(`${stem}.backup.`) && name.endsWith('.jsonl'),
  );
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name))]));
}

/** What killed processes leave, in all folders of the home. */
export function listLeftovers(home: Home): string[] {
  return readdirSync(home.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(tmp|lock|claim|claimed|cloning)$/.test(name),
  );
}
