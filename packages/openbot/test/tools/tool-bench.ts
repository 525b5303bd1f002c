import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import type { Tool, ToolResult } from '../../src/tools/contract.ts';
import { openRunTools } from '../../src/tools/run-tools.ts';

/** A workspace, with a folder beside it that must not be reached. */
export class ToolBench {
  readonly folder = makeTempFolder();
  readonly workspaceDir = join(this.folder, 'workspace');
  readonly #tool: Tool;

  constructor(tool: Tool) {
    this.#tool = tool;
    mkdirSync(this.workspaceDir);
  }

  inside(path: string): string {
    return join(this.workspaceDir, path);
  }

  write(path: string, content: string | Uint8Array): string {
    mkdirSync(dirname(this.inside(path)), { recursive: true });
    writeFileSync(this.inside(path), content);
    return this.inside(path);
  }

  run(args: object, signal = new AbortController().signal): Promise<ToolResult> {
    const tools = openRunTools([this.#tool], { workspaceDir: this.workspaceDir });
    return tools.run({ id: 'call-1', name: this.#tool.name, arguments: args }, signal);
  }
}
