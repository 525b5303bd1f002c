/** What each preset leaves of a session, through the real command. */
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSessionWithTurns, type SessionLine } from '../setup/sessions.ts';
import { ID, makeStateFolder, type StateFolder, thirtyTurns } from './state-folder.ts';
import { callsOfTurns, readCallBlocks, readCalls, readResults, readSpoken } from './told.ts';

let state: StateFolder;
beforeEach(() => {
  state = makeStateFolder();
});

const message = (fields: SessionLine): SessionLine => ({ type: 'message', timestamp: 1, message: fields });

/** Turns that are as they were, so that the ones before them are old. */
function pushTurns(lines: SessionLine[], count: number): SessionLine[] {
  return [...lines, ...createSessionWithTurns(count).slice(1)];
}

describe('--strip-tools', () => {
  it('TC-5.1a the default keeps the newest 20 turns with tools', async () => {
    const path = state.add(thirtyTurns());
    const { statistics } = await state.json('edit', ID, '--strip-tools');
    expect(readCalls(path)).toEqual(callsOfTurns(10, 30));
    expect([...readResults(path).keys()]).toEqual(callsOfTurns(10, 30));
    expect(statistics).toMatchObject({ toolCallsRemoved: 10, toolCallsOriginal: 30 });
  });

  it('TC-5.1b the default truncates the older half of what it keeps', async () => {
    const path = state.add(thirtyTurns());
    const before = readResults(path);
    const { statistics } = await state.json('edit', ID, '--strip-tools');
    const after = readResults(path);
    for (const call of callsOfTurns(10, 20)) {
      expect(after.get(call), call).toMatch(/^Result for tool call [\s\S]*\[truncated\]$/);
    }
    for (const call of callsOfTurns(20, 30)) expect(after.get(call), call).toBe(before.get(call));
    expect(statistics).toMatchObject({ toolCallsTruncated: 10, toolCallsPreserved: 10 });
  });

  it('TC-5.2a aggressive keeps 10', async () => {
    const path = state.add(createSessionWithTurns(20, 1, { resultLength: 900 }));
    const { statistics } = await state.json('edit', ID, '--strip-tools=aggressive');
    expect(readCalls(path)).toEqual(callsOfTurns(10, 20));
    expect(statistics).toMatchObject({ toolCallsRemoved: 10, toolCallsTruncated: 5, toolCallsPreserved: 5 });
  });

  it('TC-5.3a extreme removes all tool calls', async () => {
    const path = state.add(createSessionWithTurns(6, 3));
    const { statistics } = await state.json('edit', ID, '--strip-tools=extreme');
    expect(readCalls(path)).toEqual([]);
    expect(readResults(path).size).toBe(0);
    expect(statistics).toMatchObject({ toolCallsOriginal: 18, toolCallsRemoved: 18, toolCallsPreserved: 0 });
  });

  it('TC-5.4a leaves no call without its result and no result without its call', async () => {
    const call = (id: string) => ({ type: 'toolCall', id, name: 'Read', arguments: { path: id } });
    const result = (toolCallId: string) =>
      message({ role: 'toolResult', toolCallId, toolName: 'Read', content: 'done', isError: false });
    const odd = [
      ...createSessionWithTurns(1, 3),
      message({ role: 'user', content: 'Parallel, and one answered late' }),
      result('early'),
      message({ role: 'assistant', content: [call('early'), call('late'), call('b')] }),
      result('b'),
      message({ role: 'assistant', content: 'The rest will come.' }),
      message({ role: 'user', content: 'And now?' }),
      result('late'),
      message({ role: 'assistant', content: 'It came.' }),
      message({ role: 'user', content: 'A result of nothing, and a call that nobody answered' }),
      result('of nothing'),
      message({ role: 'assistant', content: [{ type: 'text', text: 'Trying.' }, call('unanswered')] }),
      message({ role: 'assistant', content: 'Never mind.' }),
    ];
    const path = state.add(pushTurns(odd, 4));
    await state.json('edit', ID, '--keep', '3', '--truncate', '0');
    expect(readCalls(path)).toEqual(callsOfTurns(1, 4));
    expect([...readResults(path).keys()].sort()).toEqual(readCalls(path).sort());
  });

  it('TC-5.6a what is truncated has at most 120 characters and 2 lines, with its marker', async () => {
    const path = state.add(
      createSessionWithTurns(8, 1, { resultLength: 5000, argumentLength: 4000 }).map((line) => {
        const text = JSON.stringify(line);
        // Surrogate pairs and many short lines, where a careless cut would show.
        return JSON.parse(
          text.replace('tool call 2_0', '🌍'.repeat(200)).replace('tool call 3_0', 'a\\n'.repeat(9)),
        );
      }),
    );
    await state.json('edit', ID, '--keep', '8', '--truncate', '100');
    const results = [...readResults(path).values()];
    expect(results).toHaveLength(8);
    for (const text of results) {
      expect(text.length).toBeLessThanOrEqual(120);
      expect(text.split('\n').length).toBeLessThanOrEqual(2);
      expect(text).toMatch(/\[truncated\]$/);
      expect(text.isWellFormed()).toBe(true);
    }
    for (const { arguments: args } of readCallBlocks(path)) {
      expect(args).toEqual({
        file_path: expect.stringMatching(/^\/test\/file_\d_0\.txt$/),
        pattern: expect.stringMatching(/^pattern \d_0 [\s\S]*\.\.\.$/),
      });
      expect(JSON.stringify(args).length).toBeLessThanOrEqual(120);
    }
    const once = readFileSync(path);
    expect(await state.json('edit', ID, '--keep', '8', '--truncate', '100')).toMatchObject({
      changed: false,
    });
    expect(readFileSync(path).equals(once)).toBe(true);
  });

  it('TC-5.7a removed tool calls are deleted entirely', async () => {
    const path = state.add(thirtyTurns({ argumentLength: 50 }));
    const spoken = readSpoken(path);
    await state.json('edit', ID, '--strip-tools');
    const text = readFileSync(path, 'utf8');
    for (let turn = 0; turn < 10; turn++) {
      for (const trace of [`call_${turn}_0`, `file_${turn}_0`, `pattern ${turn}_0`, `tool call ${turn}_0`]) {
        expect(text).not.toContain(trace);
      }
    }
    expect(text).toContain('call_10_0');
    expect(readSpoken(path)).toEqual(spoken);
  });

  it('TC-5.8a a session without tools stays as it is', async () => {
    const path = state.add(createSessionWithTurns(30, 0));
    const before = readFileSync(path);
    const names = state.names();
    for (const preset of ['default', 'aggressive', 'extreme']) {
      expect(await state.json('edit', ID, `--strip-tools=${preset}`)).toMatchObject({ changed: false });
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(state.names()).toEqual(names);
  });
});

describe('what goes with a call, and what does not', () => {
  it('the thinking of a turn whose calls are removed and messages left with nothing go; answers stay', async () => {
    const lines = [
      ...createSessionWithTurns(0),
      message({ role: 'user', content: 'Look it up' }),
      message({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I should read it', thinkingSignature: 'sig' },
          { type: 'toolCall', id: 'c1', name: 'Read', arguments: { path: 'a' } },
        ],
      }),
      message({ role: 'toolResult', toolCallId: 'c1', toolName: 'Read', content: 'text', isError: false }),
      message({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Now I know', thinkingSignature: 'sig2' },
          { type: 'text', text: 'Here it is.' },
        ],
      }),
    ];
    const path = state.add(pushTurns(lines, 1));
    const { statistics } = await state.json('edit', ID, '--keep', '1');
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('I should read it');
    expect(text).not.toContain('Now I know');
    expect(readSpoken(path).slice(0, 2)).toEqual(['user: Look it up', 'assistant: Here it is.']);
    expect(statistics).toMatchObject({ messagesOriginal: 8, messagesAfter: 6 });
  });

  it('second copies of arguments and output are cut too, and images in results', async () => {
    const lines = [
      ...createSessionWithTurns(0),
      message({ role: 'user', content: 'Show me' }),
      message({
        role: 'assistant',
        content: [
          {
            type: 'toolCall',
            id: 'c1',
            name: 'Read',
            arguments: { path: 'p'.repeat(500) },
            partialArgs: JSON.stringify({ path: 'p'.repeat(500) }),
          },
        ],
      }),
      message({
        role: 'toolResult',
        toolCallId: 'c1',
        toolName: 'Read',
        content: [
          { type: 'text', text: 'o'.repeat(500) },
          { type: 'image', data: 'A'.repeat(4000), mimeType: 'image/png' },
        ],
        details: { stdout: 'o'.repeat(500), exitCode: 0 },
        isError: false,
      }),
      message({ role: 'assistant', content: 'Seen.' }),
    ];
    const path = state.add(lines);
    const { statistics } = await state.json('edit', ID, '--keep', '1', '--truncate', '100');
    expect(statistics).toMatchObject({ toolCallsTruncated: 1, toolCallsRemoved: 0 });
    expect(readFileSync(path, 'utf8')).not.toMatch(/p{121}|o{121}|A{121}/);
    expect(readFileSync(path, 'utf8')).toContain('"exitCode":0');
    const [call] = readCallBlocks(path);
    expect(typeof call.arguments).toBe('object');
    expect(readResults(path).get('c1')).toMatch(/\[truncated\]$/);
  });

  it('a call that the run in progress still works on is never touched', async () => {
    const lines = [
      ...createSessionWithTurns(3, 1, { resultLength: 500 }),
      message({ role: 'user', content: 'One more' }),
      message({
        role: 'assistant',
        content: [{ type: 'toolCall', id: 'open', name: 'exec', arguments: { command: 'x'.repeat(300) } }],
        stopReason: 'toolUse',
      }),
    ];
    const path = state.add(lines);
    const error = await state.refused('edit', ID, '--strip-tools=extreme');
    expect(error).toMatchObject({ code: 'SESSION_IN_USE' });
    await state.json('edit', ID, '--strip-tools=extreme', '--force');
    expect(readCalls(path)).toEqual(['open']);
    expect(readCallBlocks(path)[0].arguments).toEqual({ command: 'x'.repeat(300) });
  });
});

describe('--keep and --truncate', () => {
  it.each([
    { flags: ['--keep', '5'], calls: 5, truncated: 2, why: 'the share is that of the default preset' },
    { flags: ['--truncate', '100'], calls: 20, truncated: 20, why: 'as many stay as by the default preset' },
    {
      flags: ['--strip-tools=aggressive', '--truncate', '0'],
      calls: 10,
      truncated: 0,
      why: 'over the preset',
    },
    {
      flags: ['--strip-tools=extreme', '--keep', '4', '--truncate', '50'],
      calls: 4,
      truncated: 2,
      why: 'both',
    },
    { flags: ['--keep=3', '--truncate=50'], calls: 3, truncated: 1, why: 'the share is rounded down' },
    { flags: ['--keep', '0'], calls: 0, truncated: 0, why: 'none stays' },
    { flags: ['--keep', '1000', '--truncate', '10'], calls: 30, truncated: 3, why: 'more than there are' },
  ])(
    '$flags leaves $calls calls, $truncated of them truncated: $why',
    async ({ flags, calls, truncated }) => {
      const path = state.add(thirtyTurns());
      const { statistics } = await state.json('edit', ID, ...flags);
      expect(readCalls(path)).toEqual(callsOfTurns(30 - calls, 30));
      expect(statistics).toMatchObject({
        toolCallsRemoved: 30 - calls,
        toolCallsTruncated: truncated,
        toolCallsPreserved: calls - truncated,
      });
      const shortened = [...readResults(path)].filter(([, text]) => text.endsWith('[truncated]'));
      expect(shortened.map(([call]) => call)).toEqual(callsOfTurns(30 - calls, 30 - calls + truncated));
    },
  );

  it.each([
    [['--keep', '-1']],
    [['--keep', '1.5']],
    [['--keep', 'many']],
    [['--truncate', '101']],
    [['--truncate', '']],
    [['--strip-tools=']],
    [['--strip-tools=unheard-of']],
  ])('%j is refused, and nothing is written', async (flags) => {
    const path = state.add(thirtyTurns());
    const before = readFileSync(path);
    const { code, message } = await state.refused('edit', ID, ...flags);
    expect(['USAGE', 'UNKNOWN_PRESET']).toContain(code);
    expect(message).toMatch(/--keep|--truncate|--strip-tools|unheard-of/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('without any of the three flags there is nothing to do, and a hint', async () => {
    state.add(thirtyTurns());
    expect(await state.refused('edit', ID)).toMatchObject({
      code: 'USAGE',
      hint: expect.stringContaining('--strip-tools'),
    });
  });
});
