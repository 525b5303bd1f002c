import type { ClientMessage } from '../../agent-host/contract.ts';
import type { Caller, MethodCall } from '../../gateway-protocol/method.ts';
import { hasScope } from '../../gateway-protocol/scopes.ts';
import { refuse } from '../../gateway-protocol/wire-errors.ts';
import type { SessionRef } from '../../session-address.ts';
import { keepAttachments } from '../attachments.ts';
import type { GatewayServices } from '../services.ts';
import type { GatewayRun } from './contract.ts';

export interface SentMessage {
  readonly run: GatewayRun;
  /** `in_flight` and `ok`: the message was sent before, and its run goes on, or is over. */
  readonly status: 'started' | 'in_flight' | 'ok';
  /** Of a message that has no turn, as the answer to a question: where it is kept. OpenClaw's page waits for no other word. */
  readonly messageSeq?: number;
}

/** Gives a message of a client to its session. The run has the name of its idempotency key, also after a restart. */
export async function sendMessage(
  { caller, services }: Pick<MethodCall<GatewayServices>, 'caller' | 'services'>,
  session: SessionRef,
  {
    runId,
    text,
    attachments,
    wish,
  }: {
    readonly runId: string;
    readonly text: string;
    readonly attachments?: readonly unknown[];
    readonly wish: ClientMessage['wish'];
  },
): Promise<SentMessage> {
  const { host, runs } = services;
  if (text.trim() === '' && !attachments?.length)
    throw refuse('INVALID_REQUEST', 'message or attachment required');
  const { agentId, sessionKey } = session;
  const isPlain = wish === undefined || Object.keys(wish).length === 0;
  const { mayCommand } = caller;
  const ctx = attachments?.length ? await keepAttachments(services, attachments) : undefined;
  const message = {
    agentId,
    sessionKey,
    messageId: runId,
    text,
    mayCommand,
    ...(ctx && { ctx }),
    mayAnswer: mayApprove(caller),
    ...(!isPlain && { wish }),
  };
  const accepted = await host.calls.accept(message);
  if (
    !accepted.isNew &&
    (accepted.text !== text || String(accepted.mediaPaths ?? '') !== String(ctx?.MediaPaths ?? ''))
  )
    throw conflict();
  if (accepted.isRefused)
    throw refuse(
      'FORBIDDEN',
      'chat commands need the token of the gateway, or a device of an administrator',
      {
        details: {
          code: 'MISSING_SCOPE',
          missingScope: 'operator.admin',
          requiredScopes: ['operator.admin'],
        },
      },
    );
  const isWaiting = ['received', 'queued', 'running'].includes(accepted.state);
  // One of a former gateway that is over is not made known again: what is kept of it says how it ended.
  const run =
    isWaiting || accepted.isNew
      ? runs.accepted({ agentId, sessionKey, runId }, accepted)
      : overRun(runId, session);
  if (accepted.state === 'dropped') return { run, status: 'ok', messageSeq: accepted.seq };
  return { run, status: accepted.isNew ? 'started' : isWaiting ? 'in_flight' : 'ok' };
}

/** As OpenClaw's methods for approvals. A token for an agent gives no rights over what that agent may do. */
function mayApprove({ mayCommand = false, scopes, agentIds }: Caller): boolean {
  return mayCommand || (agentIds === undefined && hasScope(scopes, 'operator.approvals'));
}

function overRun(runId: string, { agentId, sessionKey }: SessionRef): GatewayRun {
  return { runId, agentId, sessionKey, acceptedAt: 0, text: '', messageStart: 0, isOver: true };
}

function conflict(): Error {
  return refuse(
    'INVALID_REQUEST',
    'This message ID was already used for different input. Check the conversation history and use a new message ID to send again.',
    { details: { reason: 'chat-request-conflict' } },
  );
}
