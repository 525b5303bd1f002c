import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HUNT } from '../../../../test/setup/hunt.ts';
import { truncateContent, truncateToolResult } from '../../src/clean/lines/truncate.ts';
import { toolText } from './arbitraries/texts.ts';
import { RUNS } from './dialects.ts';

const LONG = 'a line of output\n'.repeat(30);

describe('how a command ended stays when its output is shortened', () => {
  test.each([
    ['OpenClaw, an exit code', `${LONG}\n(Command exited with code 7)`, '(Command exited with code 7)'],
    ['OpenClaw, a signal', `${LONG}\nCommand aborted by signal SIGTERM`, 'Command aborted by signal SIGTERM'],
    ['OpenClaw, not found', `${LONG}\nCommand not found`, 'Command not found'],
    [
      'OpenClaw, a timeout with advice',
      `${LONG}\nCommand timed out after 30 seconds. If this command is expected to take longer, re-run with a higher timeout`,
      'Command timed out after 30 seconds',
    ],
    ['OpenClaw, a process', `${LONG}\nProcess exited with code 1.`, 'Process exited with code 1.'],
    ['pi, an exit code', `${LONG}\nCommand exited with code 1`, 'Command exited with code 1'],
    ['pi, a timeout', `${LONG}\nCommand timed out after 5 seconds`, 'Command timed out after 5 seconds'],
    ['pi, stopped', `${LONG}\nCommand aborted`, 'Command aborted'],
    [
      'Claude Code, stopped',
      `${LONG}<error>Command was aborted before completion</error>`,
      '<error>Command was aborted before completion</error>',
    ],
    ['with blanks behind it', `${LONG}\n(Command exited with code 7)\n\n`, '(Command exited with code 7)'],
  ])('%s', (_, output, status) => {
    const expected = `a line of output[truncated]\n${status}`;
    expect(truncateToolResult(output)).toBe(expected);
    expect(truncateToolResult(expected)).toBe(expected);
    expect(truncateContent([{ type: 'text', text: output }])).toEqual([{ type: 'text', text: expected }]);
  });

  test('where it is the first line it stays as such', () => {
    expect(truncateToolResult(`Exit code 1\n${LONG}`)).toBe('Exit code 1\na line of output[truncated]');
    expect(truncateToolResult(`<tool_use_error>No such file.\n${LONG}</tool_use_error>`)).toBe(
      '<tool_use_error>No such file.\na line of output[truncated]',
    );
  });

  test('nothing is marked where nothing but blank lines went', () => {
    expect(truncateToolResult('(no output)\n\nCommand exited with code 1')).toBe(
      '(no output)\nCommand exited with code 1',
    );
  });

  test('an image goes, and is named', () => {
    const image = { type: 'image', data: 'x'.repeat(500) };
    const text = { type: 'text', text: 'Command exited with code 1' };
    expect(truncateContent([image, text])).toEqual([
      { type: 'text', text: '[image][truncated]\nCommand exited with code 1' },
    ]);
  });

  test('a first line that is too long makes room', () => {
    const shortened = truncateToolResult(`${'x'.repeat(300)}\n\n(Command exited with code 7)`);
    expect(shortened).toBe(`${'x'.repeat(80)}[truncated]\n(Command exited with code 7)`);
    expect(shortened.length).toBe(120);
  });

  test.each([
    'Command exited with code 1 is what it said, but that was long ago',
    'The Command exited with code 1',
    'I said: (Command exited with code 7)',
  ])('a line that only looks like it is output: %s', (line) => {
    expect(truncateToolResult(`${LONG}${line}\nmore`)).toBe('a line of output\na line of output[truncated]');
  });

  test('what is shortened is within the limits and left alone the next time', HUNT, () => {
    const statuses = fc.constantFrom(
      '(Command exited with code 7)',
      'Command aborted',
      `Command failed ${'x'.repeat(90)}`,
    );
    fc.assert(
      fc.property(toolText, statuses, fc.constantFrom('\n', '\n\n', ''), (text, status, between) => {
        const once = truncateToolResult(text + between + status);
        expect(once.length).toBeLessThanOrEqual(120);
        expect(once.split('\n').length).toBeLessThanOrEqual(2);
        expect(truncateToolResult(once)).toBe(once);
      }),
      RUNS,
    );
  });
});
