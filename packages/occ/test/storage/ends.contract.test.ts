/** What a list tells of a session without reading all of it. A new storage is one more entry in HOMES. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listSessions } from '../../src/finding/list-sessions.ts';
import { STORAGES } from '../../src/storage/all.ts';
import type { FoundSession, StorageName } from '../../src/storage/contract/found-session.ts';
import { putDatabase } from '../finding/database.ts';
import { header, makeHome, put, scopeAt, sessionsFolder, uuid } from '../finding/home.ts';
import { runOccHere } from '../setup/run-occ.ts';

const ID = uuid('1');
const ENTRY = { sessionId: ID, updatedAt: 1, contextTokens: 10_000 };
const KEY = 'agent:main:main';

/** One line of a conversation, each the child of the one before. */
interface Said {
  readonly by: 'person' | 'agent' | 'compaction';
  readonly text?: string;
  readonly tokens?: number;
}

interface Home {
  put(home: string, said: readonly Said[]): void;
  /** Text that a tool puts into a person's line. */
  readonly toolText?: string;
  readonly hasWindow: boolean;
}

const lineOf = (line: object) => `${JSON.stringify(line)}\n`;

function openclawLines(said: readonly Said[]): string[] {
  return said.map(({ by, text, tokens }, at) => {
    const place = { id: String(at), parentId: at === 0 ? null : String(at - 1) };
    if (by === 'compaction')
      return lineOf({ ...place, type: 'compaction', summary: text, firstKeptEntryId: '0' });
    const content = [{ type: 'text', text }];
    const usage = tokens === undefined ? undefined : { input: tokens, output: 0, totalTokens: tokens };
    const role = by === 'person' ? 'user' : 'assistant';
    return lineOf({ ...place, type: 'message', message: { role, content, usage } });
  });
}

function claudeLines(said: readonly Said[]): string[] {
  return said.map(({ by, text, tokens }, at) => {
    const place = {
      uuid: String(at),
      parentUuid: at === 0 ? null : String(at - 1),
      sessionId: ID,
      cwd: '/work',
    };
    if (by === 'compaction')
      return lineOf({ ...place, type: 'system', subtype: 'compact_boundary', content: text });
    const type = by === 'person' ? 'user' : 'assistant';
    const usage = tokens === undefined ? undefined : { input_tokens: tokens, output_tokens: 0 };
    const message = {
      id: `m${at}`,
      role: type,
      content: by === 'person' ? text : [{ type: 'text', text }],
      usage,
    };
    return lineOf({ ...place, type, message });
  });
}

const HOMES: Readonly<Record<StorageName, Home>> = {
  'openclaw-files': {
    put(home, said) {
      put(join(sessionsFolder(home), `${ID}.jsonl`), header(ID) + openclawLines(said).join(''));
      put(join(sessionsFolder(home), 'sessions.json'), { [KEY]: ENTRY });
    },
    hasWindow: true,
  },
  'openclaw-sqlite': {
    put: (home, said) =>
      void putDatabase(home, [
        { sessionId: ID, key: KEY, lines: openclawLines(said), entry: ENTRY, compressed: true },
      ]),
    hasWindow: true,
  },
  pi: {
    put: (home, said) =>
      void put(
        join(home, '.pi/agent/sessions/--work--', `2026-01-01T00-00-00-000Z_${ID}.jsonl`),
        header(ID) + openclawLines(said).join(''),
      ),
    hasWindow: false,
  },
  claude: {
    put: (home, said) =>
      void put(join(home, '.claude/projects/-work', `${ID}.jsonl`), claudeLines(said).join('')),
    toolText: '<local-command-stdout>42 files</local-command-stdout>',
    hasWindow: false,
  },
};

describe.each(STORAGES.map((storage) => [storage.name, storage] as const))('%s', (name, storage) => {
  const kind = HOMES[name];

  async function list(...said: Said[]): Promise<FoundSession> {
    const home = makeHome();
    kind.put(home, said);
    const [session] = await listSessions(scopeAt(home, { source: storage.source }));
    return session!;
  }
  const person = (text: string): Said => ({ by: 'person', text });
  const agent = (tokens: number, text = 'Done'): Said => ({ by: 'agent', text, tokens });

  test('has the first words and the last figure, as in `occ info`', async () => {
    const home = makeHome();
    const said = [person('Hello there'), agent(1000), person('And now?'), agent(2500)];
    kind.put(home, said);
    const run = async (...argv: string[]) =>
      JSON.parse(
        (
          await runOccHere([...argv, '--json', '--source', storage.source], {
            env: { HOME: home },
            cwd: home,
          })
        ).stdout,
      );
    const [listed] = await run('list');
    const info = await run('info', ID);
    expect(listed).toMatchObject({ firstWords: 'Hello there', tokens: { context: 2500, basis: 'recorded' } });
    expect(info.tokens).toMatchObject(listed.tokens);
    const window = kind.hasWindow ? { tokens: 10_000, percent: 25 } : undefined;
    expect(info.window).toEqual(window);
    expect(listed.window).toEqual(window && { ...window, used: 2500 });
  });

  test('calls a figure estimated where something was said since', async () => {
    const { tokens, window } = await list(person('Hello'), agent(1000), person('x'.repeat(400)));
    expect(tokens).toEqual({ context: 1100, basis: 'calibrated' });
    expect(window?.estimated).toBe(kind.hasWindow ? true : undefined);
  });

  test('does not know the context behind a compaction', async () => {
    const said: Said[] = [person('Hello'), agent(9000), { by: 'compaction', text: 'summary' }];
    expect((await list(...said)).tokens).toBeUndefined();
    expect((await list(...said, person('Go on'), agent(700))).tokens).toEqual({
      context: 700,
      basis: 'recorded',
    });
  });

  test('hides secrets, and cuts', async () => {
    const secret = `sk-ant-${'a1B2'.repeat(10)}`;
    const { firstWords } = await list(person(`Use ${secret} for it ${'and more '.repeat(100)}`));
    expect(firstWords).toMatch(/^Use sk-.* for it and more/);
    expect(firstWords).not.toContain(secret);
    expect(firstWords!.length).toBeLessThanOrEqual(200);
  });

  test('passes over what is not of the person', async () => {
    const marked = person('[openclaw:agent=main]\n\nFix the build');
    expect((await list(...(kind.toolText ? [person(kind.toolText)] : []), marked)).firstWords).toBe(
      'Fix the build',
    );
  });

  test('reads a bounded part: a long first message, and nothing behind a long last one', async () => {
    const long = await list(person(`Look: ${'x '.repeat(100_000)}`), agent(1000));
    expect(long.firstWords).toMatch(/^Look: x x/);
    const hidden = await list(person('Hello'), agent(1000), person('x'.repeat(300_000)));
    expect(hidden).toMatchObject({ firstWords: 'Hello' });
    expect(hidden.tokens).toBeUndefined();
  });

  test('a session without a message has neither', async () => {
    const session = await list(person(''));
    expect([session.firstWords, session.tokens]).toEqual([undefined, undefined]);
  });
});
