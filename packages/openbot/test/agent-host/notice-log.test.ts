import { expect, test } from 'vitest';
import { NoticeLog } from '../../src/agent-host/notice-log.ts';

test('the same text is written once a minute, with how often it came meanwhile', () => {
  const lines: string[] = [];
  let now = 0;
  const notices = new NoticeLog(
    (line) => lines.push(line),
    () => now,
  );
  for (let n = 0; n < 4; n++) notices.write('a file failed');
  notices.write('another one');
  expect(lines).toEqual(['a file failed', 'another one']);
  now = 60_000;
  notices.write('a file failed');
  notices.write('a file failed');
  notices.end();
  expect(lines.slice(2)).toEqual(['a file failed (3 more before)', 'a file failed (1 more before)']);
});
