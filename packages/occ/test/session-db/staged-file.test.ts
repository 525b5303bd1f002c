import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { iterateEventLines } from '@openbot/sessions/openclaw-database';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FoundSession } from '../../src/storage/contract/found-session.ts';
import { prepareRowClone } from '../../src/storage/openclaw-sqlite/clone-rows.ts';
import { StagedFile, stageFromDatabase } from '../../src/storage/openclaw-sqlite/staged-file.ts';
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
  const { file, result } = stageFromDatabase(home.path, target, (_, copy) => {
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

test('a message arrives while it is read: it contains what was read the second time, once', () => {
  let calls = 0;
  const { file } = stageFromDatabase(home.path, target, (database, copy) => {
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
    stageFromDatabase(home.path, target, (_, copy) => {
      copy.put(Buffer.from('a line\n'));
      if (++calls === failing) throw new Error('made by the test');
      home.say('meanwhile');
    });
  expect(read).toThrow('made by the test');
  expect(readdirSync(folder)).toEqual([]);
});

describe('a clone', () => {
  const { put } = StagedFile.prototype;
  afterEach(() => {
    StagedFile.prototype.put = put;
  });

  test('that is read twice is one file, of the second time', async () => {
    const reads = new Set<string>();
    StagedFile.prototype.put = function (bytes) {
      if (reads.size === 0) home.say('meanwhile');
      reads.add(this.tempPath);
      put.call(this, bytes);
    };
    const session = { source: 'openclaw', storage: 'sqlite', sessionId: ID, path: home.path } as FoundSession;
    const scope = { env: {}, cwd: folder };
    await prepareRowClone({ session, scope, outputPath: target, at: new Date() }).make();
    expect(reads.size).toBe(2);
    expect(readdirSync(folder)).toEqual(['copy.jsonl']);
    expect(readFileSync(target, 'utf8').split('\n').slice(1)).toEqual(home.file().split('\n').slice(1));
  });
});
