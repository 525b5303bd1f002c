import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { type AgentHostOptions, openAgentHost } from '../../src/agent-host/agent-host.ts';
import type { AgentHost, HostEvent, HostStatus } from '../../src/agent-host/contract.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import type { Script } from '../../src/runners/script/script.ts';
import { type BotState, openState } from '../../src/state/open-state.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

export { clientMessage, MAIN } from './client-message.ts';

/** A state folder, what the gateway has open of it, and the real process that runs its agents. */
export class HostPlace {
  readonly stateDir: string;
  readonly config: BotConfig;
  readonly events: HostEvent[] = [];
  readonly phases: HostStatus['phase']['at'][] = [];
  readonly log: string[] = [];
  /** Variables beside what the process needs. */
  more: Readonly<Record<string, string>> = {};
  readonly #changes: (() => void)[] = [];
  #state: BotState | undefined;

  constructor(config: BotConfig = {}, stateDir = join(makeTempFolder(), 'state')) {
    const fault = inject('openbotBundleFault');
    if (fault !== null) throw new Error(fault);
    this.stateDir = stateDir;
    this.config = config;
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(join(stateDir, 'openbot.json'), JSON.stringify(config));
  }

  writeScript(name: string, script: Script): void {
    mkdirSync(join(this.stateDir, 'scripts'), { recursive: true });
    writeFileSync(join(this.stateDir, 'scripts', `${name}.json`), JSON.stringify(script));
  }

  async state(): Promise<BotState> {
    if (this.#state === undefined) {
      const state = await openState(this.stateDir);
      this.#state = state;
      afterTest(() => state.close());
    }
    return this.#state;
  }

  /** Of the processes. */
  get env() {
    return {
      PATH: process.env.PATH,
      HOME: this.stateDir,
      NODE_COMPILE_CACHE: inject('compiled'),
      ...this.more,
    };
  }

  async open(
    limits?: AgentHostOptions['limits'],
    more: Pick<AgentHostOptions, 'loaded'> = {},
  ): Promise<AgentHost> {
    const { inbox } = await this.state();
    const { stateDir, config, env } = this;
    const log = (line: string) => void this.log.push(line);
    const host = openAgentHost({ stateDir, env, config, inbox, log, limits, ...more });
    afterTest(() => host.close(0));
    host.onEvent((event) => {
      this.events.push(event);
      this.#change();
    });
    host.onStatus(({ phase }) => {
      this.phases.push(phase.at);
      this.#change();
    });
    await host.ready();
    return host;
  }

  /** Resolves when something that the host told makes it true. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#changes.push(resolve));
  }

  /** Resolves when a turn with this message has ended. */
  async untilEnded(messageId: string): Promise<Extract<HostEvent, { type: 'ended' }>> {
    await this.until(() => this.#endOf(messageId) !== undefined);
    return this.#endOf(messageId)!;
  }

  /** All that the model said in turns with this message. */
  textOf(messageId: string): string {
    const turnIds = this.turnsOf(messageId);
    return this.events
      .flatMap((event) =>
        event.type === 'event' && turnIds.includes(event.turnId) && event.event.type === 'text'
          ? [event.event.delta]
          : [],
      )
      .join('');
  }

  turnsOf(messageId: string): string[] {
    return this.events.flatMap((event) =>
      event.type === 'began' && event.turn.messages.some((message) => message.messageId === messageId)
        ? [event.turn.turnId]
        : [],
    );
  }

  #endOf(messageId: string) {
    const turnIds = this.turnsOf(messageId);
    return this.events.find(
      (event) => event.type === 'ended' && event.end !== 'later' && turnIds.includes(event.turnId),
    ) as Extract<HostEvent, { type: 'ended' }> | undefined;
  }

  #change(): void {
    for (const resolve of this.#changes.splice(0)) resolve();
  }
}

/** Kills the process of the agents as a power cut would. */
export function killHost({ status: { phase } }: AgentHost): void {
  if (phase.at !== 'up' && phase.at !== 'blocked') throw new Error(`The host is ${phase.at}`);
  process.kill(phase.pid, 'SIGKILL');
}
