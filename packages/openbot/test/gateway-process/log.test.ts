import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LogFile } from '../../src/gateway-process/log-file.ts';
import { followLog, readLastLines } from '../../src/gateway-process/read-log.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { waitFor } from '../setup/terminal-command.ts';

const textOf = (line: string) => line.slice(line.indexOf(' ') + 1);

test('a full log becomes the first of a few former ones; the last lines are read over all of them', () => {
  const path = join(makeTempFolder(), 'logs', 'a.log');
  const log = new LogFile(path, { largest: 100, generations: 2, now: () => 0 });
  for (let at = 0; at < 12; at++) log.write(`line ${at}`);
  log.close();
  const names = [path, `${path}.1`, `${path}.2`];
  const lines = names.map((name) => readFileSync(name, 'utf8').trimEnd().split('\n').map(textOf));
  expect(lines).toEqual([
    ['line 9', 'line 10', 'line 11'],
    ['line 6', 'line 7', 'line 8'],
    ['line 3', 'line 4', 'line 5'],
  ]);
  expect(existsSync(`${path}.3`)).toBe(false);
  expect(readLastLines(path, 5).map(textOf)).toEqual([7, 8, 9, 10, 11].map((at) => `line ${at}`));
  expect(readLastLines(path, 100)).toHaveLength(9);
  expect(readLastLines(`${path}.none`, 5)).toEqual([]);
});

test('a line stays one line, and has no secret', () => {
  const path = join(makeTempFolder(), 'a.log');
  const log = new LogFile(path);
  log.write('first\nsecond \u001b[31m OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789');
  log.close();
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^\S+Z first \| second .*\n$/);
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('abcdefghijklmnop');
});

test('what is appended is followed over a rotation', async () => {
  const path = join(makeTempFolder(), 'a.log');
  const log = new LogFile(path, { largest: 200 });
  log.write('before');
  const ending = new AbortController();
  let seen = '';
  const followed = followLog(path, {
    signal: ending.signal,
    onText: (text) => {
      seen += text;
    },
  });
  for (let at = 0; at < 9; at++) {
    log.write(`line ${at}`);
    await waitFor(
      () => `line ${at} in ${seen}`,
      () => seen.includes(`line ${at}\n`) || undefined,
    );
  }
  ending.abort();
  await followed;
  expect(existsSync(`${path}.1`)).toBe(true);
  expect(seen.trimEnd().split('\n').map(textOf)).toEqual([...Array(9).keys()].map((at) => `line ${at}`));
});
