import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { COMMAND } from '../setup/command-file.ts';
import { writeSession } from '../setup/own-session.ts';
import { makeHome } from '../setup/run-openbot.ts';

test('openbot mcp serves its tools to a client, and ends with it', async () => {
  const home = makeHome();
  writeSession(home, home.folder, '00000000-0000-4000-8000-000000000001', 'teach the parser');
  const env = Object.fromEntries(
    Object.entries(home.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...COMMAND, 'mcp', `--repo=${home.folder}`],
    env,
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const manifest = readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8');
  expect(client.getServerVersion()?.version).toBe(JSON.parse(manifest).version);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('openclaw_project_status');
  const answer = await client.callTool({ name: 'openclaw_session_list', arguments: {} });
  expect(JSON.stringify(answer.structuredContent)).toContain('teach the parser');
  const { pid } = transport;
  await client.close();
  await expect.poll(() => isAlive(pid!), { timeout: 20_000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
