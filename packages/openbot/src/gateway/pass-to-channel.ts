import type { AgentHost } from '../agent-host/contract.ts';
import { listChannelAccounts } from '../channels/accounts.ts';
import type { HttpAnswer } from '../channels/contract.ts';
import type { BotConfig } from '../config/bot-config.ts';
import type { Webhook } from './http/context.ts';

/** The network comes again. */
export const NOT_READY: HttpAnswer = { status: 503, headers: { 'retry-after': '5' }, body: 'not ready\n' };

/** Gives a request to the process that has the channel open. Never rejects. */
export async function passToChannel(
  { host, config }: { readonly host: AgentHost; readonly config: BotConfig },
  { channel, accountId, body, ...request }: Webhook,
  log: (line: string) => void,
): Promise<HttpAnswer> {
  const account = listChannelAccounts(config).find(
    (one) => one.channel === channel && one.accountId === accountId,
  );
  if (!account?.isEnabled || !account.hasDriver) return { status: 404, body: 'not found\n' };
  if (host.status.phase.at !== 'up') {
    host.warm();
    return NOT_READY;
  }
  try {
    const base64 = Buffer.from(body).toString('base64');
    return await host.calls.receiveHttp({ channel, accountId }, { ...request, base64 });
  } catch (error) {
    log(`A request for the channel ${channel} (account ${accountId}) failed: ${(error as Error).message}`);
    return NOT_READY;
  }
}
