import { AGENTS_COMMANDS } from './tables/agents.ts';
import { CC_COMMANDS } from './tables/cc.ts';
import { CHANNELS_COMMANDS } from './tables/channels.ts';
import { CLEAN_COMMANDS } from './tables/clean.ts';
import { CONFIG_COMMANDS } from './tables/config.ts';
import { DEVICES_COMMANDS } from './tables/devices.ts';
import { GATEWAY_COMMANDS } from './tables/gateway.ts';
import { HISTORY_COMMANDS } from './tables/history.ts';
import { INIT_COMMANDS } from './tables/init.ts';
import { MCP_COMMANDS } from './tables/mcp.ts';
import { MESSAGE_COMMANDS } from './tables/message.ts';
import { MODELS_COMMANDS } from './tables/models.ts';
import { OUTBOX_COMMANDS } from './tables/outbox.ts';
import { PAIRING_COMMANDS } from './tables/pairing.ts';
import { SEARCH_COMMANDS } from './tables/search.ts';
import { SESSION_SETTINGS_COMMANDS } from './tables/session-settings.ts';
import { SESSIONS_COMMANDS } from './tables/sessions.ts';
import { SHELL_COMMANDS } from './tables/shell.ts';
import { STATUS_COMMANDS } from './tables/status.ts';
import { TALK_COMMANDS } from './tables/talk.ts';
import { USAGE_COMMANDS } from './tables/usage.ts';

/** Every command, in the order of the help. */
export const COMMANDS = [
  ...TALK_COMMANDS,
  ...SESSIONS_COMMANDS,
  ...SESSION_SETTINGS_COMMANDS,
  ...HISTORY_COMMANDS,
  ...SEARCH_COMMANDS,
  ...USAGE_COMMANDS,
  ...GATEWAY_COMMANDS,
  ...DEVICES_COMMANDS,
  ...PAIRING_COMMANDS,
  ...STATUS_COMMANDS,
  ...CHANNELS_COMMANDS,
  ...MESSAGE_COMMANDS,
  ...OUTBOX_COMMANDS,
  ...AGENTS_COMMANDS,
  ...MODELS_COMMANDS,
  ...CONFIG_COMMANDS,
  ...INIT_COMMANDS,
  ...CLEAN_COMMANDS,
  ...CC_COMMANDS,
  ...MCP_COMMANDS,
  ...SHELL_COMMANDS,
];
