/** The real Claude Code on the imitation of the API, with a place for state and for repositories. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ClaudeHome, makeClaudeHome } from './claude-binary.ts';
import { type MessagesApi, startMessagesApi } from './messages-api.ts';

export class ClaudeBench {
  readonly api: MessagesApi;
  readonly home: ClaudeHome;
  readonly stateDir: string;
  /** They are killed when it is closed. */
  protected readonly children: ChildProcess[] = [];

  constructor(api: MessagesApi, home: ClaudeHome) {
    this.api = api;
    this.home = home;
    this.stateDir = join(home.root, 'state');
  }

  static async open<Bench>(this: new (api: MessagesApi, home: ClaudeHome) => Bench): Promise<Bench> {
    const api = await startMessagesApi({ replies: [] });
    return new this(api, await makeClaudeHome(api.url));
  }

  async close(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    await this.api.close();
    await this.home.remove();
  }

  makeRepo(name: string): string {
    const path = join(this.home.root, 'repos', name);
    mkdirSync(path, { recursive: true });
    return path;
  }
}
