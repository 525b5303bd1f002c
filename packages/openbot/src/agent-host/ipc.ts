/** What the two processes write to each other, as JSON. */
import { isOpenBotError, OpenBotError } from '@openbot/sessions';
import type { FailingStep } from '../bot/contract.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { ModelWait } from '../queue/contract.ts';
import type { ChannelState, HostCalls, HostEvent } from './contract.ts';

export type CallName = keyof HostCalls;

export type ToHost =
  /** Comes first. With it a process starts although the configuration has become wrong. */
  | { readonly begin: { readonly former?: LoadedConfig } }
  | { readonly call: number; readonly name: CallName; readonly args: readonly unknown[] }
  | { readonly close: { readonly graceMs: number } };

export type ToGateway =
  | { readonly ready: { readonly channels: readonly ChannelState[] } }
  /** It cannot start: why, for people. */
  | { readonly failed: string }
  /** Sent twice a second. */
  | { readonly beat: HostBeat }
  | { readonly result: number; readonly value: unknown }
  | { readonly result: number; readonly error: WrittenError }
  | { readonly events: readonly HostEvent[] };

export interface HostBeat {
  /** How much later than it should have been. ms */
  readonly delayMs: number;
  readonly isIdle: boolean;
  readonly waits: readonly ModelWait[];
  readonly failingSteps: readonly FailingStep[];
  readonly channels: readonly ChannelState[];
}

/** ms between two beats. */
export const BEAT_MS = 500;

export interface WrittenError {
  /** Undefined for a failure that is not an OpenBotError. */
  readonly code?: string;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export function writeError(error: unknown): WrittenError {
  // One of the cleaner, which is installed beside the bundle, is of another class.
  if (!isOpenBotError(error)) return { message: error instanceof Error ? error.message : String(error) };
  const { code, message, hint, details } = error;
  return { code, message, hint, details };
}

export function readError({ code, message, hint, details }: WrittenError): Error {
  return code === undefined ? new Error(message) : new OpenBotError(code, message, { hint, details });
}
