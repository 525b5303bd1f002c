import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findOpenClaude, listOpenClaudes, readProcessStat } from '../../src/exports/disk.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const ID = '23d587fc-ceb6-4349-b68e-227fb2fbda71';
const OTHER = '4066600d-0148-4997-b58d-9a5bf3182650';
const own = readProcessStat(process.pid);

let config: string;
beforeEach(() => {
  config = makeTempFolder();
  mkdirSync(join(config, 'sessions'));
});

/** As Claude Code 2.1.325 writes it. */
function publish(fields: Record<string, unknown> = {}, name = `${fields.pid ?? process.pid}.json`): void {
  const published = {
    pid: process.pid,
    sessionId: ID,
    cwd: '/work',
    startedAt: 1794832568428,
    procStart: String(own?.starttime),
    version: '2.1.325',
    peerProtocol: 1,
    kind: 'interactive',
    entrypoint: 'cli',
    pidDomain: 'linux:3d1219c7c4c5404aaa1f6d2a48adfda4:pid:[4026531836]',
    name: 'work-51',
    nameSource: 'derived',
    status: 'idle',
    updatedAt: 1794832568605,
    ...fields,
  };
  writeFileSync(join(config, 'sessions', name), JSON.stringify(published));
}

describe.skipIf(own === undefined)(
  'what a running Claude Code publishes (needs /proc for start times)',
  () => {
    test('reports which session it has open', () => {
      publish({ status: 'busy' });
      writeFileSync(join(config, 'sessions', `${process.pid}.0123.key`), '{"peerToken":"x"}');
      expect(listOpenClaudes(config)).toEqual([{ sessionId: ID, pid: process.pid, status: 'busy' }]);
      expect(findOpenClaude(config, ID)).toMatchObject({ pid: process.pid });
      expect(findOpenClaude(config, OTHER)).toBeUndefined();
    });

    test.each<[string, Record<string, unknown>, string?]>([
      ['of a process that began at another time', { procStart: String((own?.starttime ?? 0) + 1) }],
      ['without a start', { procStart: undefined }],
      ['with a start of another form', { procStart: 'Mon Nov 16 12:36:08 2026' }],
      ['of a pid that there is not', { pid: 2 ** 22 + 1 }],
      ['of a pid that is none', { pid: '1' }, '1.json'],
      ['of another process than its name says', {}, '1.json'],
      ['without a session', { sessionId: 7 }],
    ])('is nothing where it is %s', (_, fields, name) => {
      publish(fields, name);
      expect(listOpenClaudes(config)).toEqual([]);
    });

    test('is nothing where it is damaged, or not there', () => {
      writeFileSync(join(config, 'sessions', `${process.pid}.json`), '{"pid":');
      mkdirSync(join(config, 'sessions', '12.json'));
      expect(listOpenClaudes(config)).toEqual([]);
      expect(listOpenClaudes(join(config, 'nowhere'))).toEqual([]);
    });
  },
);
