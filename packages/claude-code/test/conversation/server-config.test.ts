/** Servers that a request brings, and their keys, with the real Claude Code. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { writeServerConfig } from '../../src/conversation/run-servers.ts';
import { answer, hold, Workbench, waitFor } from '../run/run-workbench.ts';

const binary = findClaudeBinary();
const missing =
  'missing' in binary ? binary.missing : existsSync('/proc/self/cmdline') ? undefined : 'there is no /proc';
const permissionsOf = (path: string) => statSync(path).mode & 0o777;

describe.skipIf(missing !== undefined)(`a run of the real Claude Code ${missing ?? ''}`, () => {
  let bench: Workbench;
  let web: Server;
  const headers: (string | undefined)[] = [];
  beforeAll(async () => {
    bench = await Workbench.open();
    web = createServer((request, response) => {
      headers.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    web?.close();
    await bench?.close();
  });

  test('gets servers with their keys, and none of these is on its command line', async () => {
    const [seen, token] = ['cmdline', 'token'].map((name) => join(bench.home.root, name)) as [string, string];
    // A server that tells how Claude Code was started, and leaves.
    const script = `printf %s "$TOKEN" > '${token}'; cat /proc/$PPID/cmdline > '${seen}.part'; mv '${seen}.part' '${seen}'`;
    const reply = hold(answer('Done.'));
    bench.api.setReplies(() => reply.reply);
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`;
    const { run } = bench.start('Look around', {
      mcpServers: () => ({
        web: { type: 'http', url, headers: { Authorization: 'Bearer key-of-the-header' } },
        local: { command: 'sh', args: ['-c', script], env: { TOKEN: 'key-of-the-environment' } },
      }),
    });
    await waitFor('a server that looked', () => (existsSync(seen) ? true : undefined));
    await waitFor('a call of the other server', () => headers[0]);
    const args = readFileSync(seen, 'utf8').split('\0');
    const path = args[args.indexOf('--mcp-config') + 1]!;
    expect(args.join(' ')).not.toContain('key-of');
    expect(readFileSync(token, 'utf8')).toBe('key-of-the-environment');
    expect(new Set(headers)).toEqual(new Set(['Bearer key-of-the-header']));
    expect([permissionsOf(path), permissionsOf(dirname(path))]).toEqual([0o600, 0o700]);
    await waitFor('a request', () => bench.api.conversations[0]);
    reply.letGo();
    expect(await run.outcome).toMatchObject({ result: 'success', text: 'Done.' });
    expect(existsSync(dirname(path))).toBe(false);
    const tools = bench.api.conversations[0]!.tools!.map(({ name }) => name);
    expect(tools).toContain('mcp__openbot__openclaw_project_status');
  });
});

test('where the file cannot be written, nothing is started', async () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = join(import.meta.dirname, 'server-config.test.ts');
  try {
    await expect(writeServerConfig({})).rejects.toMatchObject({ code: 'CLAUDE_NOT_STARTED' });
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});
