import { randomUUID } from 'node:crypto';
import { type EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { ClaudeProcess } from '../../src/processes/claude-process.ts';

const KEY = `sk-ant-api03-${'Abc9'.repeat(20)}`;

/** What is told of what a program complains of. */
async function complain(text: string): Promise<string> {
  const claude = new ClaudeProcess({
    ...{ command: process.execPath, args: ['-e', 'process.stdin.pipe(process.stderr)'], cwd: undefined },
    ...{ env: { PATH: process.env.PATH }, mark: randomUUID() },
  });
  const closed = once(claude.child as unknown as EventEmitter, 'close');
  claude.child.stdin.end(text);
  await closed;
  return claude.stderr;
}

test('its error output is reported without keys, and only its end if it is long', async () => {
  expect(await complain(`\nno entry for ${KEY}\n`)).toMatch(/^no entry for sk-ant\S+$/);
  const long = await complain(`${'much\n'.repeat(100_000)}the end\n`);
  expect(long).toMatch(/much\nthe end$/);
  expect(long.length).toBeLessThanOrEqual(4096);
});

test.each<[string, string]>([
  ['in a line', `first\nthe key is ${KEY} ${'x'.repeat(50)}\n`],
  ['in a line of its own', `\n${KEY}\n`],
  ['in a text without lines', `and the key is ${KEY} `],
])('no part of a key is shown if the text is cut within it: %s', async (_name, start) => {
  const isSingle = start.endsWith(' ');
  const at = start.indexOf(KEY) + 40;
  for (const limit of [4096, 16 * 4096]) {
    const filler = isSingle ? 'more '.repeat(limit) : 'more\n'.repeat(limit);
    // So that the limit is in the middle of the key.
    const told = await complain(start + filler.slice(0, limit - (start.length - at)));
    expect(told).toMatch(/more/);
    expect(told).not.toContain('Abc9Abc9');
    const blanks = (isSingle ? ' ' : '\n').repeat(limit - (start.length - at));
    expect(await complain(start + blanks)).not.toContain('Abc9Abc9');
  }
});
