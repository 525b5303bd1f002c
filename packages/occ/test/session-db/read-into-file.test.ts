import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { iterateEventLines } from '@openbot/sessions/openclaw-database';
import { beforeEach, expect, test } from 'vitest';
import type { FoundSession } from '../../src/storage/contract/found-session.ts';
import { cloneToFile } from '../../src/storage/openclaw-sqlite/clone-session.ts';
import { readIntoFile } from '../../src/storage/openclaw-sqlite/read-into-file.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { ID, makeTalkingHome, type TalkingHome } from './talking-home.ts';

let home: TalkingHome;
let folder: string;
let target: string;
beforeEach(() => {
  home = makeTalkingHome();
  folder = makeTempFolder();
  target = join(folder, 'copy.jsonl');
});

test('it has its name when it is given one, and not before', () => {
  const { file, result } = readIntoFile(home.path, target, (_, copy) => {
    copy.put(Buffer.from('a line\n'));
    return 'read';
  });
  expect(result).toBe('read');
  expect(readFileSync(file.tempPath, 'utf8')).toBe('a line\n');
  expect(readdirSync(folder)).toHaveLength(1);
  file.name();
  file.drop();
  expect(readdirSync(folder)).toEqual(['copy.jsonl']);
});

test('somebody speaks while it is read: it holds what was read the second time, once', () => {
  let calls = 0;
  const { file } = readIntoFile(home.path, target, (database, copy) => {
    for (const line of iterateEventLines(database, ID)) copy.put(line);
    if (++calls === 1) home.say('meanwhile');
  });
  expect(calls).toBe(2);
  expect(readFileSync(file.tempPath, 'utf8')).toBe(home.file());
  file.drop();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([1, 2])('what fails at call %i leaves nothing', (failing) => {
  let calls = 0;
  const read = () =>
    readIntoFile(home.path, target, (_, copy) => {
      copy.put(Buffer.from('a line\n'));
      if (++calls === failing) throw new Error('made by the test');
      home.say('meanwhile');
    });
  expect(read).toThrow('made by the test');
  expect(readdirSync(folder)).toEqual([]);
});

test('a clone that is read twice is one file, of the second time', async () => {
  let plans = 0;
  await cloneToFile(
    {
      session: { source: 'openclaw', storage: 'sqlite', sessionId: ID, path: home.path } as FoundSession,
      newSessionId: '00000000-0000-4000-8000-000000000002',
      // Asked for once in each plan.
      get at() {
        if (++plans === 1) home.say('meanwhile');
        return new Date();
      },
    },
    target,
  );
  expect(plans).toBe(2);
  expect(readdirSync(folder)).toEqual(['copy.jsonl']);
  expect(readFileSync(target, 'utf8').split('\n').slice(1)).toEqual(home.file().split('\n').slice(1));
});
