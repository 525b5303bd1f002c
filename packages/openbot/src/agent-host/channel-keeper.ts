import { isDeepStrictEqual } from 'node:util';
import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import type { Bot, BotNotice, OpenedChannel } from '../bot/contract.ts';
import { type ChannelAccount, listChannelAccounts, settingsOfDriver } from '../channels/accounts.ts';
import { CHANNEL_KINDS, type ChannelKinds } from '../channels/all.ts';
import type { Channel, ChannelHealth, ChannelMedia, HttpAnswer } from '../channels/contract.ts';
import { hideSecretsOf } from '../channels/hide-secrets.ts';
import { openChannel } from '../channels/open-channel.ts';
import { backgroundClock, type Clock, delayAfter } from '../clock.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { explainInstall } from '../install-command.ts';
import type { AccountName, ChannelState, WiredHttp } from './contract.ts';

export interface ChannelKeeperOptions {
  readonly bot: Pick<Bot, 'openChannel' | 'closeChannel' | 'channels'>;
  /** Always the present one. */
  readonly config: BotConfig;
  readonly env: Environment;
  readonly stateDir: string;
  readonly media: ChannelMedia;
  report(about: BotNotice['about'], message: string): void;
  readonly kinds?: ChannelKinds;
  readonly clock?: Clock;
}

/** Of a channel that cannot start. ms */
const RETRY = { firstMs: 1000, mostMs: 300_000 };

/** Keeps the enabled accounts of the configuration open. One that cannot start holds up no other. */
export class ChannelKeeper {
  readonly #options: ChannelKeeperOptions;
  readonly #accounts = new Map<string, KeptAccount>();
  #isEnded = false;

  constructor(options: ChannelKeeperOptions) {
    this.#options = options;
  }

  /** Opens, closes and opens anew what the configuration has changed. Others are untouched. */
  follow(): void {
    if (this.#isEnded) return;
    const { config, env, kinds = CHANNEL_KINDS } = this.#options;
    const accounts = listChannelAccounts(config, { env, kinds }).filter(
      ({ isEnabled, hasDriver }) => isEnabled && hasDriver,
    );
    const wanted = new Map(accounts.map((account) => [nameOf(account), account]));
    for (const [name, kept] of this.#accounts) {
      const next = wanted.get(name);
      if (next !== undefined && isDeepStrictEqual(settingsOfDriver(next), settingsOfDriver(kept.account)))
        continue;
      const closing = kept.close();
      this.#accounts.delete(name);
      // Of one account only one is open at a time: networks refuse a second.
      if (next !== undefined) this.#accounts.set(name, new KeptAccount(next, this.#options, closing));
      else void closing;
    }
    for (const [name, account] of wanted) {
      if (!this.#accounts.has(name)) this.#accounts.set(name, new KeptAccount(account, this.#options));
    }
  }

  list(): readonly ChannelState[] {
    return [...this.#accounts.values()].map((account) => account.describe());
  }

  /** For the network of an account. One that is not open yet asks it to come again. */
  async receiveHttp(account: AccountName, { base64, ...request }: WiredHttp): Promise<HttpAnswer> {
    const kept = this.#accounts.get(nameOf(account));
    if (kept === undefined) return { status: 404 };
    const { channel } = kept;
    if (channel === undefined) return { status: 503, headers: { 'retry-after': '5' } };
    if (channel.receiveHttp === undefined) return { status: 404 };
    return channel.receiveHttp({ ...request, body: Buffer.from(base64, 'base64') });
  }

  /** Opens nothing any more. What is open is closed with the bot. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#accounts.values()].map((account) => account.end()));
  }
}

type Phase =
  | { readonly at: 'opening' }
  | { readonly at: 'open'; readonly channel: Channel; readonly since: number }
  | { readonly at: 'failed'; readonly since: number; readonly error: string; readonly nextTryAt?: number }
  | { readonly at: 'closed' };

class KeptAccount {
  readonly account: ChannelAccount;
  readonly #options: ChannelKeeperOptions;
  readonly #clock: Clock;
  readonly #hide: (text: string) => string;
  #phase: Phase = { at: 'opening' };
  #lastError: string | undefined;
  #failures = 0;
  #cancel = () => {};
  #opening: Promise<void>;

  /** @param before the end of a former one for the same account */
  constructor(account: ChannelAccount, options: ChannelKeeperOptions, before?: Promise<void>) {
    this.account = account;
    this.#options = options;
    this.#clock = options.clock ?? backgroundClock;
    this.#hide = hideSecretsOf(account.settings);
    this.#opening = (before ?? Promise.resolve()).then(() => this.#open());
  }

  get channel(): Channel | undefined {
    return this.#phase.at === 'open' ? this.#phase.channel : undefined;
  }

  describe(): ChannelState {
    const { channel: name, accountId } = this.account;
    const phase = this.#phase;
    const { channel } = this;
    const opened = this.#options.bot.channels.find((one) => one.channel === channel);
    if (opened !== undefined && phase.at === 'open') {
      const state = describeOpened(opened, this.#hide);
      const error = 'error' in state.health ? state.health.error : undefined;
      this.#lastError = error ?? this.#lastError;
      return {
        ...state,
        startedAt: phase.since,
        ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      };
    }
    const lastError = this.#lastError;
    return {
      channel: name,
      accountId,
      health: healthOf(phase),
      ...(lastError !== undefined && { lastError }),
    };
  }

  async end(): Promise<void> {
    if (this.#phase.at !== 'open') this.#phase = { at: 'closed' };
    this.#cancel();
    await this.#opening;
  }

  async close(): Promise<void> {
    const { channel } = this;
    this.#phase = { at: 'closed' };
    this.#cancel();
    await this.#opening;
    if (channel === undefined) return;
    await this.#options.bot.closeChannel(channel).catch((error: unknown) => this.#report(error, 'trouble'));
  }

  async #open(): Promise<void> {
    const { bot, stateDir, media, kinds } = this.#options;
    // It may be closed while a step is waited for.
    const isClosed = () => this.#phase.at === 'closed';
    if (isClosed()) return;
    const now = () => this.#clock.now();
    try {
      const channel = await openChannel(this.account, { stateDir, now, media }, kinds);
      if (isClosed()) return;
      await bot.openChannel(channel, this.#hide);
      if (isClosed()) return await bot.closeChannel(channel);
      this.#failures = 0;
      this.#phase = { at: 'open', channel, since: now() };
    } catch (error) {
      if (isClosed()) return;
      this.#onFailure(error);
    }
  }

  #onFailure(error: unknown): void {
    const code = error instanceof OpenBotError ? error.code : undefined;
    const text = this.#report(error, 'configuration');
    this.#lastError = text;
    const since = this.#phase.at === 'failed' ? this.#phase.since : this.#clock.now();
    // A setting that is wrong is looked at again when it has changed.
    if (code === 'CONFIG_INVALID') {
      this.#phase = { at: 'failed', since, error: text };
      return;
    }
    const waitMs = delayAfter(++this.#failures, RETRY);
    this.#phase = { at: 'failed', since, error: text, nextTryAt: this.#clock.now() + waitMs };
    this.#cancel = this.#clock.after(waitMs, () => {
      this.#opening = this.#open();
    });
  }

  /** Says it once. */
  #report(error: unknown, about: BotNotice['about']): string {
    const { channel, accountId } = this.account;
    const text = this.#hide(sentenceOf(error));
    if (text !== this.#lastError)
      this.#options.report(about, `The channel ${channel} (account ${accountId}): ${text}`);
    return text;
  }
}

function healthOf(phase: Phase): ChannelHealth {
  if (phase.at !== 'failed') return { state: phase.at === 'closed' ? 'stopped' : 'starting' };
  const { since, error, nextTryAt } = phase;
  return nextTryAt === undefined
    ? { state: 'failed', since, error }
    : { state: 'reconnecting', since, error, nextTryAt };
}

/** With what a person has to do. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof OpenBotError)) return error instanceof Error ? error.message : String(error);
  const { message, hint = '' } = error;
  const [, packages] = /^npm install (.+)$/.exec(hint) ?? [];
  if (packages !== undefined) return `${message}: ${explainInstall(packages)}`;
  return hint === '' ? message : `${message}. ${hint}`;
}

export function describeOpened(
  { channel, lastInboundAt, lastOutboundAt }: OpenedChannel,
  hide: (text: string) => string = (text) => text,
): ChannelState {
  const health = channel.health();
  const summary = channel.summary?.();
  const { textLimit, ...capabilities } = channel.capabilities;
  return {
    channel: channel.name,
    accountId: channel.accountId,
    ...(summary !== undefined && { summary: hide(summary) }),
    health: hideInHealth(health, hide),
    // A limit that is none is no JSON.
    capabilities: Number.isFinite(textLimit) ? { ...capabilities, textLimit } : capabilities,
    ...(lastInboundAt !== undefined && { lastInboundAt }),
    ...(lastOutboundAt !== undefined && { lastOutboundAt }),
  };
}

function hideInHealth(health: ChannelHealth, hide: (text: string) => string): ChannelHealth {
  if ('error' in health) return { ...health, error: hide(health.error) };
  return 'warning' in health ? { ...health, warning: hide(health.warning!) } : health;
}

function nameOf({ channel, accountId }: Pick<ChannelAccount, 'channel' | 'accountId'>): string {
  return JSON.stringify([channel, accountId]);
}
