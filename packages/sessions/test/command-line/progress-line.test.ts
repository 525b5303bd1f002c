import { describe, expect, it, test } from 'vitest';
import { screenOf } from '../../../../test/setup/in-terminal.ts';
import { ProgressLine } from '../../src/command-line/progress-line.ts';
import { openTerminal } from '../../src/command-line/terminal.ts';
import { reportProgress } from '../../src/progress.ts';

function open({ isTTY = true, isDumb = false, columns = 40 } = {}) {
  const stderr = {
    isTTY,
    columns,
    text: '',
    write(text: string) {
      stderr.text += text;
    },
  };
  const clock = { now: 0 };
  const line = new ProgressLine(stderr, isDumb, () => clock.now);
  const stop = line.follow();
  const at = (ms: number, ...news: Parameters<typeof reportProgress>[0][]) => {
    clock.now = ms;
    for (const one of news) reportProgress(one);
    return screenOf(stderr.text, stderr.columns).join('\n');
  };
  return { stderr, line, stop, at };
}

describe('a progress line', () => {
  it('appears after a second, is rewritten, and leaves nothing', () => {
    const { stderr, stop, at } = open();
    expect(at(0, { step: 'scan', text: 'Reading the session' }, { share: 0.1 })).toBe('');
    expect(at(999, { share: 0.2 })).toBe('');
    expect(at(1000, { share: 0.256 })).toBe('Reading the session: 25%');
    const { text } = stderr;
    at(1050, { share: 0.3 });
    expect(stderr.text).toBe(text);
    expect(at(1100, { share: 0.3 })).toBe('Reading the session: 30%');
    expect(at(1200, { step: 'write', text: 'Writing' })).toBe('Writing');
    expect(at(4300, { step: 'write', text: 'Writing' })).toBe('Writing: 3 s');
    stop();
    expect(at(9000, { share: 0.9 })).toBe('');
    expect(stderr.text).not.toContain('\n');
  });

  it('is not written again where it says the same', () => {
    const { stderr, stop, at } = open();
    at(2000, { share: 0.501 });
    const { text } = stderr;
    at(3000, { share: 0.502 });
    expect(stderr.text).toBe(text);
    stop();
  });

  it('says who is waited for and for how long, until the work goes on', () => {
    const { stop, at } = open({ columns: 66 });
    at(0, { step: 'write', text: 'Writing' });
    at(500, { waitingFor: 'process 42 (openclaw), which holds the lock' });
    expect(at(3600, { waitingFor: 'process 42 (openclaw), which holds the lock' })).toBe(
      'Waiting 3 s for process 42 (openclaw), which holds the lock',
    );
    // The wait is no part of the step.
    expect(at(5000, { waitingFor: undefined })).toBe('Writing');
    expect(at(5600, { step: 'write', text: 'Writing' })).toBe('Writing: 1 s');
    expect(at(6000, { waitingFor: 'process 43' })).toBe('Waiting 0 s for process 43');
    expect(at(7000, { step: undefined })).toBe('');
    stop();
  });

  it('is shorter than the terminal, and harmless', () => {
    const { stop, at } = open({ columns: 20 });
    expect(at(2000, { step: 'scan', text: 'Reading\u001b[2J some session' })).toBe('Reading�[2J some…');
    stop();
  });

  it('is erased in a terminal that was made narrower since', () => {
    const { stderr, stop, at } = open({ columns: 60 });
    at(2000, { step: 'scan', text: 'Reading the session of a person with a long name' });
    stderr.text = '';
    stderr.columns = 20;
    stop();
    // The terminal has broken it into three lines.
    expect(stderr.text).toBe('\r\u001b[2A\u001b[J');
  });

  it('gives way to other output, and stays away for a second', () => {
    const { line, stop, at } = open();
    expect(at(2000, { step: 'scan', text: 'Reading' })).not.toBe('');
    line.erase();
    expect(at(2999, { share: 0.5 })).toBe('');
    expect(at(3000, { share: 0.5 })).toBe('Reading: 50%');
    stop();
  });
});

test.each([{ isTTY: false }, { isDumb: true }])('with %j only a wait is said, once', (options) => {
  const { stderr, stop, at } = open(options);
  at(0, { step: 'scan', text: 'Reading' });
  at(1000, { share: 0.5 }, { waitingFor: 'process 42' });
  expect(stderr.text).toBe('');
  at(2000, { waitingFor: 'process 42' });
  at(9000, { waitingFor: 'process 43' });
  stop();
  expect(stderr.text).toBe('Waiting for process 42\n');
});

test('nothing is said to those who do not follow it', () => {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 80, write: (text: string) => written.push(text) };
  const terminal = openTerminal(stream, stream, {});
  reportProgress({ share: 0.5 });
  terminal.write('1 session\n');
  expect(written).toEqual(['1 session\n']);
});
