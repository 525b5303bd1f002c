import { OpenBotError } from '@openbot/sessions';
import type { Caller, GatewayMethod } from '../gateway-protocol/method.ts';
import { checkParams } from '../gateway-protocol/param-shapes.ts';
import { hasScope, type Scope } from '../gateway-protocol/scopes.ts';
import { refuse, toWireError } from '../gateway-protocol/wire-errors.ts';
import type { AuditLog } from './audit-log.ts';
import type { Figures } from './figures.ts';
import type { Outcome, Request } from './request.ts';

export interface Dispatcher {
  /** Never rejects. */
  call(request: Request): Promise<Outcome>;
  has(method: string): boolean;
  /** What hello-ok tells. */
  readonly listed: readonly string[];
}

interface DispatcherParts<Services> {
  readonly methods: readonly GatewayMethod<Services>[];
  /** Undefined while the gateway starts. */
  services(): Services | undefined;
  readonly audit: AuditLog;
  readonly figures: Figures;
  log(line: string): void;
}

export function makeDispatcher<Services>(parts: DispatcherParts<Services>): Dispatcher {
  const { audit, figures, log } = parts;
  const methods = new Map(parts.methods.map((method) => [method.name, method]));

  const run = async (
    named: GatewayMethod<Services> | undefined,
    request: Request,
    begin: () => Promise<void>,
  ): Promise<unknown> => {
    const { caller, signal } = request;
    const method = named?.isForCommands && !caller.isCommand ? undefined : named;
    const services = parts.services();
    if (services === undefined)
      throw refuse('UNAVAILABLE', 'gateway starting; retry shortly', { retryable: true, retryAfterMs: 500 });
    // Whether a method exists is for those to know who may call all of them.
    assertScope(caller, method?.scope ?? 'operator.admin');
    if (method === undefined) throw refuse('INVALID_REQUEST', `unknown method: ${request.method}`);
    await begin();
    const params = checkParams(method.name, method.params, request.params) as never;
    const respondFirst = (payload: unknown) => request.respondFirst(payload);
    return method.handle(params, { caller, services, signal, respondFirst });
  };

  return {
    listed: parts.methods.filter(({ isListed }) => isListed).map(({ name }) => name),
    has: (name) => methods.has(name),
    async call(request) {
      const method = methods.get(request.method);
      const isAudited = method?.isAudited(request.params) === true;
      let finish: ((outcome: Outcome) => void) | undefined;
      const begin = async () => {
        if (isAudited) finish = await audit.begin(request);
      };
      let outcome: Outcome;
      try {
        outcome = { ok: true, payload: await run(method, request, begin) };
      } catch (error) {
        if (!(error instanceof OpenBotError)) log(`${request.method} failed: ${describe(error)}`);
        outcome = {
          ok: false,
          error: toWireError(error, { isBound: request.caller.agentIds !== undefined }),
        };
      }
      figures.countRequest(method?.name ?? 'unknown', outcome.ok ? 'ok' : outcome.error.code);
      if (finish !== undefined) finish(outcome);
      else if (isAudited) audit.refused(request);
      return outcome;
    },
  };
}

function assertScope({ scopes }: Caller, needed: Scope): void {
  if (hasScope(scopes, needed)) return;
  throw refuse('FORBIDDEN', `missing scope: ${needed}`, {
    details: { code: 'MISSING_SCOPE', missingScope: needed, requiredScopes: [needed] },
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
