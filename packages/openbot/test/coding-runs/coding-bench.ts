/** A bot whose agent can start the real Claude Code, on the imitation of the API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bot } from '../../src/bot/contract.ts';
import type { RunRecord } from '../../src/coding-runs/contract.ts';
import type { CodingSettings } from '../../src/config/bot-config.ts';
import type { HomeOptions } from '../bot/bot-home.ts';
import { ToolHome } from '../session-tools/tool-home.ts';
import { CommandBench, waitFor } from '../setup/command-bench.ts';

export class CodingBench extends CommandBench {
  readonly bot = new ToolHome(this.stateDir);
  readonly repo = this.makeRepo('project');

  /** With a chat. */
  open(settings: CodingSettings = {}, options: HomeOptions = {}): Promise<Bot> {
    return this.bot.start(this.#options(settings, options));
  }

  openCommand(settings: CodingSettings = {}, options: HomeOptions = {}): Promise<Bot> {
    return this.bot.startCommand(this.#options(settings, options));
  }

  #options(settings: CodingSettings, { config, ...options }: HomeOptions): HomeOptions {
    const sessionSelection = { enabled: false };
    const claudeCode = { repos: [this.repo], isolated: true, sessionSelection, ...settings };
    return {
      env: this.env,
      config: { claudeCode, channels: { memory: { allowFrom: ['ada'] } }, ...config },
      ...options,
    };
  }

  /** What a person sees, once it is there. */
  shows(text: RegExp): Promise<string> {
    const { chat } = this.bot;
    return waitFor(
      () => `${text} among ${JSON.stringify(chat.shown)}`,
      () => chat.shown.find((line) => text.test(line)),
    );
  }

  /** What the person must name in the answer to a question about `touch made`. */
  async questionId(): Promise<string> {
    const question = await this.shows(/^ada: Permission needed \[[0-9a-f]+\][\s\S]*command: touch made/);
    return /\[([0-9a-f]+)\]/.exec(question)![1]!;
  }

  /** The id that the network gave to a message. */
  idOf(text: RegExp): string {
    return this.bot.chat.channel.network.shown.find(({ payload }) => text.test(payload.text ?? ''))!.id;
  }

  recordOf(id: string): RunRecord {
    return JSON.parse(readFileSync(join(this.stateDir, 'coding-runs', `${id}.json`), 'utf8'));
  }

  /** Resolves when the record of a run says so. */
  ended(id: string): Promise<RunRecord> {
    return waitFor(
      () => `the end of ${id}`,
      () => (this.recordOf(id).endedAt === undefined ? undefined : this.recordOf(id)),
    );
  }

  /** The id in the last result of `claude_code`. */
  lastId(): string {
    const result = this.bot.resultsIn().findLast((text) => text.includes('"id"'));
    return JSON.parse(result ?? '{}').id;
  }
}
