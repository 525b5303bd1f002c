import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { normalizeAgentId, OpenBotError } from '@openbot/sessions';
import { inspectConfigFile } from '../config/config-file.ts';
import { findConfigFile } from '../config/load-config.ts';
import { maskSecrets } from '../config/mask-secrets.ts';
import { showSettingPath } from '../config/setting-path.ts';
import type { Caller } from '../gateway-protocol/method.ts';
import { type GatewayServices, gatewayMethod, mayReach } from './services.ts';
import { shownPath } from './sessions/session-ref.ts';

/** What OpenClaw's clients know as a secret that they are not shown. */
const REDACTED = '__OPENCLAW_REDACTED__';

/** A hash by itself would let a caller who is shown everything else try passwords against it. */
const HASH_KEY = randomBytes(32);

const get = gatewayMethod({
  name: 'config.get',
  scope: 'operator.read',
  params: {},
  handle: (_params, { services, caller }) => {
    const { openclawPath } = findConfigFile(services.stateDir);
    const path = openclawPath ?? services.configPath;
    const exists = existsSync(path);
    const { written, faults, notices } = exists
      ? inspect(path, services, openclawPath !== undefined)
      : NOTHING;
    const shown = maskSecrets(limit(written, caller), [], REDACTED);
    const hash = `hmac-sha256:v1:${createHmac('sha256', HASH_KEY)
      .update(exists ? readFileSync(path) : '')
      .digest('hex')}`;
    return {
      path: shownPath(caller, path),
      exists,
      // Made from what is shown: the file itself may have secrets in its comments.
      raw: `${JSON.stringify(shown, null, 2)}\n`,
      parsed: shown,
      sourceConfig: shown,
      resolved: shown,
      config: shown,
      valid: faults.length === 0,
      hash,
      configRevisionHash: hash,
      issues: caller.agentIds === undefined ? faults : [],
      warnings: caller.agentIds === undefined ? notices.map((message) => ({ message })) : [],
      legacyIssues: [],
    };
  },
});

interface Inspected {
  readonly written: unknown;
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  readonly notices: readonly string[];
}

const NOTHING: Inspected = { written: {}, faults: [], notices: [] };

function inspect(path: string, { env }: GatewayServices, isForeign: boolean): Inspected {
  try {
    const { written, faults, notices } = inspectConfigFile(path, {
      env,
      isForeign,
      toleratesMissingSecrets: true,
    });
    return {
      written,
      faults: faults.map(({ at, says }) => ({ path: showSettingPath(at), message: says })),
      notices,
    };
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    return { ...NOTHING, faults: [{ path: '', message: error.message }] };
  }
}

type Json = { readonly [name: string]: unknown };

/** Settings of `session` that name no agent, no person and no path. */
const FOR_ALL_AGENTS: ReadonlySet<string> = new Set([
  'scope',
  'dmScope',
  'mainKey',
  'reset',
  'resetByType',
  'resetTriggers',
  'idleMinutes',
  'agentToAgent',
  'threads',
]);

/** A caller for some agents is shown their settings and those for all agents; what else there is may be about others. */
function limit(written: unknown, caller: Caller): unknown {
  if (caller.agentIds === undefined) return written;
  const { agents, bindings, session } = asObject(written);
  const { defaults, list, entries } = asObject(agents);
  const isOwn = (id: unknown) => typeof id === 'string' && mayReach(caller, normalizeAgentId(id));
  const shared = Object.entries(asObject(session)).filter(([name]) => FOR_ALL_AGENTS.has(name));
  return {
    agents: {
      ...(defaults !== undefined && { defaults: withoutPaths(defaults) }),
      ...(Array.isArray(list) && {
        list: list.filter((agent) => isOwn(asObject(agent).id)).map(withoutPaths),
      }),
      ...(entries !== undefined && {
        entries: Object.fromEntries(
          Object.entries(asObject(entries))
            .filter(([id]) => isOwn(id))
            .map(([id, agent]) => [id, withoutPaths(agent)]),
        ),
      }),
    },
    ...(Array.isArray(bindings) && { bindings: bindings.filter((one) => isOwn(asObject(one).agentId)) }),
    ...(session !== undefined && { session: Object.fromEntries(shared) }),
  };
}

function withoutPaths(agent: unknown): Json {
  const { workspace: _workspace, agentDir: _agentDir, ...rest } = asObject(agent);
  return rest;
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export const CONFIG_METHODS = [get];
