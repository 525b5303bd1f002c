import type { GatewayMethod } from '../gateway-protocol/method.ts';
import { AGENT_METHODS } from './agent.ts';
import { AGENT_LIST_METHODS } from './agents.ts';
import { CHANNEL_METHODS } from './channels.ts';
import { CHAT_METHODS } from './chat.ts';
import { CONFIG_METHODS } from './config.ts';
import { EMPTY_METHODS } from './empty-lists.ts';
import { LOG_METHODS } from './logs.ts';
import { MODEL_METHODS } from './models.ts';
import { OWN_METHODS } from './own.ts';
import { CLEAN_METHODS } from './own-clean.ts';
import { SENDING_METHODS } from './sending.ts';
import type { GatewayServices } from './services.ts';
import { SESSION_CHANGE_METHODS } from './sessions/changes.ts';
import { SESSION_METHODS } from './sessions/look-up.ts';
import { PATCH_METHODS } from './sessions/patch.ts';
import { SESSION_SEARCH_METHODS } from './sessions/search-sessions.ts';
import { SESSION_RUN_METHODS } from './sessions/session-runs.ts';
import { STATUS_METHODS } from './status.ts';

/** Every method of the gateway, in the order in which hello-ok lists them. */
export const ALL_METHODS: readonly GatewayMethod<GatewayServices>[] = [
  ...STATUS_METHODS,
  ...CHANNEL_METHODS,
  ...LOG_METHODS,
  ...CONFIG_METHODS,
  ...AGENT_LIST_METHODS,
  ...MODEL_METHODS,
  ...SESSION_METHODS,
  ...SESSION_SEARCH_METHODS,
  ...PATCH_METHODS,
  ...SESSION_CHANGE_METHODS,
  ...SESSION_RUN_METHODS,
  ...CHAT_METHODS,
  ...AGENT_METHODS,
  ...SENDING_METHODS,
  ...EMPTY_METHODS,
  ...OWN_METHODS,
  ...CLEAN_METHODS,
];
