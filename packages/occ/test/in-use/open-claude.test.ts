import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessStat } from '@openbot/sessions/disk';
import { beforeEach, describe, expect, test } from 'vitest';
import { furnish, type Home, homeIn, SESSION_ID } from '../safety/homes.ts';
import { runOcc } from '../setup/run-occ.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const starttime = readProcessStat(process.pid)?.starttime;
const NOTE =
  /Claude Code has it open \(process (\d+)\) and continues with what it has in memory; the change takes effect at the next resume\./;

describe.skipIf(starttime === undefined)('a session that a Claude Code has open (needs /proc)', () => {
  let home: Home;
  beforeEach(async () => {
    home = homeIn(makeTempFolder(), 'claude');
    await furnish(home);
    utimesSync(home.path, new Date('2026-01-01'), new Date('2026-01-01'));
  });

  function publish(fields: Record<string, unknown> = {}): void {
    const folder = join(home.folder, 'claude', 'sessions');
    mkdirSync(folder, { recursive: true });
    const published = {
      pid: process.pid,
      sessionId: SESSION_ID,
      procStart: String(starttime),
      status: 'idle',
    };
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify({ ...published, ...fields }));
  }
  const occ = (...args: string[]) => runOcc([...args, SESSION_ID, '--source=claude'], { env: home.env });

  test('is edited and restored, and the report says what the open one keeps', async () => {
    publish();
    const { stdout } = await occ('edit', '--keep=1', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ changed: true, note: expect.stringMatching(NOTE) });
    const restored = await occ('restore');
    expect(restored.stdout.replaceAll(/\s+/g, ' ')).toMatch(NOTE);
  });

  test.each([
    ['another session', { sessionId: '99999999-2222-3333-4444-555555555555' }],
    ['a process that is gone', { procStart: '1' }],
  ])('and nothing is said of %s', async (_, fields) => {
    publish(fields);
    const before = readFileSync(home.path);
    const { stdout } = await occ('edit', '--keep=1', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ changed: true });
    expect(JSON.parse(stdout).note ?? '').not.toMatch(/has it open/);
    expect(readFileSync(home.path)).not.toEqual(before);
  });

  test('is in use for as long as it works, where thinking is bound to what was said before it', async () => {
    const text = readFileSync(home.path, 'utf8');
    const parentUuid = text
      .match(/"uuid":"([^"]+)"/g)!
      .at(-1)!
      .slice(8, -1);
    const said = { role: 'assistant', model: 'claude-opus-5-5', id: 'm', content: [] };
    const lines = [
      { type: 'assistant', uuid: 'a', parentUuid, message: said },
      { type: 'user', uuid: 'u', parentUuid: 'a', message: { role: 'user', content: 'And?' } },
    ];
    writeFileSync(home.path, text + lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    utimesSync(home.path, new Date('2026-01-01'), new Date('2026-01-01'));
    publish({ status: 'busy' });
    const { stderr } = await occ('edit', '--keep=1', '--json');
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'SESSION_IN_USE',
      message: expect.stringContaining(`process ${process.pid} has not finished`),
    });
    publish({ status: 'idle' });
    const { stdout } = await occ('edit', '--strip-tools=extreme', '--json');
    const note = expect.stringContaining('does not count afterwards');
    expect(JSON.parse(stdout)).toMatchObject({ note });
    const restored = await occ('restore', '--json');
    expect(JSON.parse(restored.stdout)).toMatchObject({ note });
  });
});
