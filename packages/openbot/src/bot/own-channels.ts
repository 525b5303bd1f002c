import { LOCAL_CHANNEL, SESSIONS_CHANNEL, WEB_CHANNEL } from '../turn/deliver.ts';
import { HEARTBEAT_CHANNEL } from '../turn/heartbeat/heartbeat-message.ts';

/** No list of senders is about them: the owner of the machine, a client with a token, another session, a clock. */
export const OWN_CHANNELS: ReadonlySet<string> = new Set([
  LOCAL_CHANNEL,
  WEB_CHANNEL,
  SESSIONS_CHANNEL,
  HEARTBEAT_CHANNEL,
]);
