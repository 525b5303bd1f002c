import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAuditLog } from '../../src/gateway/audit-log.ts';
import type { Request } from '../../src/gateway/request.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const request = (params: unknown): Request => ({
  method: 'sessions.delete',
  params,
  caller: { connId: 'c', scopes: new Set(), client: { id: 'cli', mode: 'cli' }, caps: new Set() },
  address: '127.0.0.1',
  signal: new AbortController().signal,
  respondFirst: () => {},
});

test('a full log is put aside, and the oldest of four is gone', async () => {
  const stateDir = makeTempFolder();
  const path = join(stateDir, 'logs', 'gateway-audit.jsonl');
  const lines: string[] = [];
  const log = openAuditLog(stateDir, { now: () => 0, log: (line) => lines.push(line) });
  for (let n = 0; n < 5; n++) {
    await log.begin(request({ key: `k${n}` }));
    truncateSync(path, 5 * 1024 * 1024);
  }
  expect(['', '.1', '.2', '.3', '.4'].map((end) => existsSync(path + end))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(readFileSync(`${path}.1`, 'utf8')).toContain('"k3"');
  expect(readFileSync(`${path}.3`, 'utf8')).toContain('"k1"');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(lines).toEqual([]);
});

test('params that no one expects are left out', async () => {
  const stateDir = makeTempFolder();
  const log = openAuditLog(stateDir, { now: () => 0, log: () => {} });
  for (const params of [
    null,
    'text',
    ['key'],
    { key: 7, message: 'words of a person' },
    { key: 'x'.repeat(999) },
    { ids: [1, 2], change: 'drop', archive: 'a.jsonl' },
    { ids: ['words'] },
  ])
    await log.begin(request(params));
  const text = readFileSync(join(stateDir, 'logs', 'gateway-audit.jsonl'), 'utf8');
  const about = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).about);
  expect(about).toEqual([
    {},
    {},
    {},
    {},
    { key: 'x'.repeat(200) },
    { ids: '1,2', change: 'drop', archive: 'a.jsonl' },
    {},
  ]);
});

test('a log that cannot be written is told once', async () => {
  const stateDir = makeTempFolder();
  writeFileSync(join(stateDir, 'logs'), '');
  const lines: string[] = [];
  const log = openAuditLog(stateDir, { now: () => 0, log: (line) => lines.push(line) });
  for (let n = 0; n < 3; n++) {
    await log.begin(request({}));
  }
  expect(lines).toEqual([expect.stringContaining('Cannot write the audit log')]);
});
