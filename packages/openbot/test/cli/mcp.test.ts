import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { COMMAND } from '../setup/command-file.ts';
import { writeSession } from '../setup/own-session.ts';
import { makeHome } from '../setup/run-openbot.ts';

test('openbot mcp serves its tools to a client, and ends with its input', async () => {
  const home = makeHome();
  writeSession(home, home.folder, '00000000-0000-4000-8000-000000000001', 'teach the parser');
  const child = spawn(process.execPath, [...COMMAND, 'mcp', `--repo=${home.folder}`], {
    env: home.env as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tell = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = async (id: number, method: string, params: object = {}) => {
    tell({ id, method, params });
    const { value } = await lines.next();
    const { id: answered, result } = JSON.parse(value ?? '{}');
    expect(answered).toBe(id);
    return result;
  };

  const { serverInfo } = await ask(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  const manifest = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8');
  expect(serverInfo.version).toBe(JSON.parse(manifest).version);
  tell({ method: 'notifications/initialized' });
  const { tools } = await ask(2, 'tools/list');
  expect(tools.map(({ name }: { name: string }) => name)).toContain('openclaw_project_status');
  const answer = await ask(3, 'tools/call', { name: 'openclaw_session_list', arguments: {} });
  expect(JSON.stringify(answer.structuredContent)).toContain('teach the parser');
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});
