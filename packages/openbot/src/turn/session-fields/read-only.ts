import { accessSync, constants } from 'node:fs';
import type { Tool } from '../../tools/contract.ts';

/**
 * Whether the agent may look but not change anything: no tool that could is allowed, or its workspace cannot be written to.
 * @param tools those that may be used, with a question or without
 */
export function isReadOnlySession(tools: readonly Pick<Tool, 'changes'>[], workspaceDir: string): boolean {
  if (!tools.some(({ changes }) => changes)) return true;
  try {
    accessSync(workspaceDir, constants.W_OK);
    return false;
  } catch (error) {
    // A workspace that does not exist yet is made when it is written to.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
