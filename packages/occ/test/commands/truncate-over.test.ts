/** Few turns with large output: presets count turns, so that only a rule by size helps. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ID, type Json, makeStateFolder, type StateFolder } from './state-folder.ts';

const LARGE = 'a line of large output\n'.repeat(1000);
const SMALL = 'a line of small output\n'.repeat(20);

/** One turn: calls with large results, a small one, and a large one that was the last. */
function oneTurn(): string {
  const lines: Json[] = [
    { type: 'session', version: 3, id: ID, timestamp: '2026-11-16T10:00:00.000Z', cwd: '/w' },
  ];
  const add = (message: Json): void => {
    const id = `e${lines.length}`;
    const parentId = lines.length === 1 ? null : `e${lines.length - 1}`;
    lines.push({ type: 'message', id, parentId, timestamp: '2026-11-16T10:00:00.000Z', message });
  };
  add({ role: 'user', content: 'do it all', timestamp: 1 });
  for (const [n, output] of [LARGE, SMALL, LARGE, LARGE, LARGE].entries()) {
    const call = { type: 'toolCall', id: `c${n}`, name: 'read', arguments: { path: `${n}.txt` } };
    add({ role: 'assistant', content: [call], timestamp: 2 });
    add({
      role: 'toolResult',
      toolCallId: `c${n}`,
      toolName: 'read',
      content: [{ type: 'text', text: output }],
      isError: false,
      timestamp: 3,
    });
  }
  add({ role: 'assistant', content: [{ type: 'text', text: 'All done.' }], timestamp: 4 });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

let state: StateFolder;
let path: string;
beforeEach(() => {
  state = makeStateFolder();
  path = state.add(oneTurn().split('\n').slice(0, -1));
});
const results = (): string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes('toolResult'))
    .map((line) => (JSON.parse(line) as Json).message.content[0].text);
const isShort = (text: string) => text.endsWith('[truncated]') && text.length <= 120;

describe('--truncate-over', () => {
  it('shortens what is above the limit in turns that stay, and leaves the last exchange whole', async () => {
    const { changed, statistics } = await state.json('edit', ID, '--truncate-over', '2000');
    expect(changed).toBe(true);
    expect(statistics).toMatchObject({ toolCallsRemoved: 0, toolCallsTruncated: 3, toolCallsPreserved: 2 });
    const [first, small, third, fourth, last] = results();
    expect([first, third, fourth].map((text) => isShort(text!))).toEqual([true, true, true]);
    expect([small, last]).toEqual([SMALL, LARGE]);
  });

  it('does nothing more the second time, and restore undoes it', async () => {
    const before = readFileSync(path);
    await state.json('edit', ID, '--truncate-over', '2000');
    const once = readFileSync(path);
    expect(await state.json('edit', ID, '--truncate-over', '2000')).toMatchObject({ changed: false });
    expect(readFileSync(path)).toEqual(once);
    await state.json('restore', ID);
    expect(readFileSync(path)).toEqual(before);
  });

  it('is refused below 500', async () => {
    const run = await state.occ('edit', ID, '--truncate-over', '120');
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain('at least 500');
  });

  it('can be part of a preset of one’s own', async () => {
    const preset = { keepTurnsWithTools: 20, truncatePercent: 0, truncateOver: 5000 };
    writeFileSync(join(state.home, 'occ.config.json'), JSON.stringify({ customPresets: { bySize: preset } }));
    const { statistics } = await state.json('edit', ID, '--strip-tools=bySize');
    expect(statistics).toMatchObject({ toolCallsTruncated: 3 });
  });
});

describe('without it', () => {
  it('an edit that finds nothing to clean names the flag, and with it there is something', async () => {
    const { changed, note } = await state.json('edit', ID, '--strip-tools');
    expect(changed).toBe(false);
    expect(note).toMatch(
      /Nothing to clean: .* But about \d\d% of the context is 3 large tool calls .*: .*--truncate-over 2000/,
    );
    expect(await state.json('edit', ID, '--strip-tools', '--truncate-over', '2000')).toMatchObject({
      changed: true,
    });
  });

  it('info recommends a command that frees what it says', async () => {
    writeFileSync(path, oneTurn().replaceAll(JSON.stringify(LARGE), JSON.stringify(LARGE.repeat(4))));
    const info = await state.json('info', ID);
    expect(info.recommendation).toMatchObject({ preset: 'default', truncateOver: 2000 });
    expect(info.largeCalls).toMatchObject({ over: 2000, calls: 3 });
    const { stdout } = await state.occ('info', ID);
    expect(stdout).toMatch(/Recommendation: occ edit .*--strip-tools=default --truncate-over 2000/);
    const { tokens } = await state.json('edit', ID, '--strip-tools=default', '--truncate-over', '2000');
    const freed = tokens.before - tokens.after;
    expect(Math.abs(freed - info.largeCalls.tokens)).toBeLessThan(0.02 * freed);
  });

  it('is not mentioned for a session without large calls', async () => {
    writeFileSync(path, oneTurn().replaceAll(JSON.stringify(LARGE), JSON.stringify(SMALL)));
    const { note } = await state.json('edit', ID, '--strip-tools');
    expect(note).not.toContain('--truncate-over');
    expect((await state.json('info', ID)).largeCalls).toBeUndefined();
  });
});
