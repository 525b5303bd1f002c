import type { Environment } from '@openbot/sessions/layout';
import type { BotConfig } from '../config/bot-config.ts';
import type { GatewayReport } from '../gateway-client/look-at-gateway.ts';
import type { SessionFolder } from '../kept-sessions/contract.ts';

/** Where checks look. */
export interface Place {
  readonly stateDir: string;
  readonly env: Environment;
  /** Ms. */
  readonly now: number;
  /** Undefined where it cannot be read. */
  readonly config?: BotConfig;
  readonly folder?: SessionFolder;
  /** Where it has been looked at already. */
  readonly gateway?: GatewayReport;
  /** A gateway that does not run is a problem, whether or not the configuration needs one. */
  readonly isGatewayWanted?: boolean;
}

export interface Finding {
  /** `problem`: something does not work. `warning`: it works, and a person should know. */
  readonly severity: 'problem' | 'warning';
  /** One sentence without its full stop. */
  readonly what: string;
  /** What a person can do, where there is no fix. */
  readonly remedy?: string;
  readonly fix?: Fix;
}

export interface Fix {
  /** What it does, in the imperative: `Set the mode of … to 600`. */
  readonly does: string;
  /** Deletes nothing: what is in the way is moved aside. Throws where it cannot be done. */
  apply(): Promise<void>;
}

/** One thing that can be wrong. Looking changes nothing. */
export interface Check {
  readonly name: string;
  /** What is looked at, for people. */
  readonly about: string;
  /** It takes next to no time, however much is kept: it is part of `openbot health`. */
  readonly isQuick?: true;
  /** What must be readable for it: it is left out otherwise. */
  readonly needs?: 'config' | 'folder';
  look(place: Place): Promise<readonly Finding[]> | readonly Finding[];
}

export interface CheckResult {
  readonly name: string;
  readonly about: string;
  readonly findings: readonly Finding[];
}
