import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../gateway-protocol/method.ts';
import { matchBearer } from '../admission/credentials.ts';
import type { HttpContext } from './context.ts';

export type Authentication =
  | {
      readonly kind: 'caller';
      readonly caller: Caller;
      readonly credential?: string;
      readonly deviceId?: string;
    }
  | {
      readonly kind: 'refused';
      readonly status: 401 | 429;
      readonly message: string;
      readonly retryAfterMs?: number;
    };

/** Who asks, by `Authorization: Bearer`. `x-openclaw-scopes` asks for fewer rights than the token has. */
export function authenticate(
  { peer, settings, devices, failures }: HttpContext,
  { headers }: IncomingMessage,
): Authentication {
  const retryAfterMs = failures.lockedFor(peer);
  if (retryAfterMs !== undefined)
    return { kind: 'refused', status: 429, message: 'too many failed authentication attempts', retryAfterMs };
  const given = /^bearer +(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  const grant = matchBearer(given, settings, devices);
  if (grant === undefined) {
    if (given !== undefined) failures.add(peer);
    return { kind: 'refused', status: 401, message: 'Unauthorized' };
  }
  const asked = headers['x-openclaw-scopes'];
  const wanted = typeof asked === 'string' ? asked.split(',').map((one) => one.trim()) : grant.scopes;
  const caller: Caller = {
    connId: randomUUID(),
    scopes: new Set(grant.scopes.filter((scope) => wanted.includes(scope))),
    agentIds: grant.agentIds,
    deviceId: grant.deviceId,
    mayCommand: grant.mayCommand,
    isCommand: grant.via === 'command',
    client: { id: 'gateway-client', mode: 'backend', displayName: 'http' },
    caps: new Set(),
  };
  return { kind: 'caller', caller, credential: grant.credential, deviceId: grant.deviceId };
}
