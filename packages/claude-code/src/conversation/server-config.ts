import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import type { McpServers } from '../run-contract/run-request.ts';

/** A file with the servers that Claude Code starts or connects to itself. */
export interface ServerConfig {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Only this user can read it. On a command line everybody could, and servers have keys in their headers and environments.
 * @throws OpenBotError CLAUDE_NOT_STARTED where it cannot be written
 */
export async function writeServerConfig(mcpServers: McpServers): Promise<ServerConfig> {
  let folder: string | undefined;
  const remove = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    folder = await mkdtemp(join(tmpdir(), 'openbot-mcp-'));
    const path = join(folder, 'servers.json');
    await writeFile(path, JSON.stringify({ mcpServers }), { mode: 0o600, flag: 'wx' });
    return { path, remove };
  } catch (cause) {
    await remove().catch(() => {});
    throw new OpenBotError('CLAUDE_NOT_STARTED', 'The MCP servers could not be handed to Claude Code', {
      hint: `They are written to a file of their own: check that there is room in ${tmpdir()}, and that it may be written to.`,
      cause,
    });
  }
}
