import type { Environment } from '@openbot/sessions/layout';
import type { WatchedConfig } from '../config/watch-config.ts';
import type { GatewaySettings } from './settings.ts';

export interface GatewayOptions {
  /** Absolute. */
  readonly stateDir: string;
  readonly env: Environment;
  readonly config: WatchedConfig;
  /** 0 for any that is free. */
  readonly port: number;
  /** An address of this machine, such as `127.0.0.1`. */
  readonly host: string;
  /** Asked at each use, so that a change holds at once. */
  tokens(): Pick<GatewaySettings, 'token' | 'agentTokens'>;
  /** Of full rights, for commands of the same person: made anew by each process, which keeps it in a private file. */
  readonly commandToken?: string;
  /** The file that `logs.tail` reads. */
  readonly logPath?: string;
  /** One line about something that the owner of the gateway should know. */
  log(line: string): void;
}

/** A gateway that listens. */
export interface Gateway {
  readonly port: number;
  /** `ws://127.0.0.1:18789` */
  readonly url: string;
  /** Tells clients, lets runs end within the time, and closes. */
  close(options: { readonly reason: string; readonly graceMs: number }): Promise<void>;
}

/** Resolves when `/readyz` says that it is ready. */
export type OpenGateway = (options: GatewayOptions) => Promise<Gateway>;
