import { truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { scanTranscriptFile } from '@openbot/sessions';
import { expect, test } from 'vitest';
import { describeFailedWrite } from '../../src/operations/failed-write.ts';
import { makeLineReader } from '../../src/rewrite/apply-plan.ts';
import { header, makeHome, put, sessionsFolder, userLine, uuid } from '../finding/home.ts';

test.each([
  ['edit', 'EDIT_FAILED'],
  ['clone', 'CLONE_FAILED'],
  ['restore', 'RESTORE_FAILED'],
] as const)(
  '%s of a session that became shorter blames the other program, not the disk',
  async (doing, code) => {
    const id = uuid('1');
    const path = put(join(sessionsFolder(makeHome()), `${id}.jsonl`), header(id) + userLine('hello'));
    const transcript = await scanTranscriptFile(path);
    const file = await open(path);
    truncateSync(path, 10);
    const fault = await Promise.resolve()
      .then(() => makeLineReader(file, transcript)(1))
      .catch((error: unknown) => error)
      .finally(() => file.close());
    const error = describeFailedWrite(fault, path, doing);
    expect(error).toMatchObject({ code, message: 'The session became shorter while it was read' });
    expect((error as { hint?: string }).hint).toMatch(/^Nothing was changed\. Another program rewrites/);
  },
);
