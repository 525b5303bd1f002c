/** `/metrics` in the text form of Prometheus, for the owner of the gateway. */
import { hasScope } from '../../gateway-protocol/scopes.ts';
import { authenticate } from './authenticate.ts';
import { type Exchange, type HttpContext, sendJson } from './context.ts';

export function answerMetrics(context: HttpContext, { request, response }: Exchange): void {
  const who = authenticate(context, request);
  if (who.kind === 'refused') {
    sendJson(response, who.status, { ok: false, error: { message: who.message } });
    return;
  }
  const { caller } = who;
  if (caller.agentIds !== undefined || !hasScope(caller.scopes, 'operator.read')) {
    sendJson(response, 403, { ok: false, error: { message: 'missing scope: operator.read' } });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  response.end(`${[...describe(context), ...context.measure()].join('\n')}\n`);
}

function describe({ figures, connections, uptimeMs }: HttpContext): string[] {
  const { open } = connections;
  const pending = open.reduce((sum, one) => sum + one.pendingRequests, 0);
  const { rss, heapUsed } = process.memoryUsage();
  return [
    ...gauge('uptime_seconds', 'Time since the start', uptimeMs / 1000),
    ...gauge('resident_memory_bytes', 'Memory of the process', rss),
    ...gauge('heap_used_bytes', 'Memory that JavaScript uses', heapUsed),
    ...gauge('connections', 'WebSockets that said hello', open.length),
    ...gauge('pending_requests', 'Requests of WebSockets without an answer yet', pending),
    ...counter('connections_total', 'WebSockets that were opened', figures.connectionsOpened),
    ...counter('handshakes_refused_total', 'WebSockets that were not let in', figures.handshakesRefused),
    ...counter('events_sent_total', 'Events that were sent', figures.eventsSent),
    ...counter('events_dropped_total', 'Events that slow clients did not get', figures.eventsDropped),
    ...counter(
      'slow_consumers_total',
      'Clients that were cut off for reading too slowly',
      figures.slowConsumers,
    ),
    '# HELP openbot_gateway_requests_total Requests by method and outcome',
    '# TYPE openbot_gateway_requests_total counter',
    ...[...figures.requests].map(([labels, count]) => `openbot_gateway_requests_total{${labels}} ${count}`),
  ];
}

function gauge(name: string, help: string, value: number): string[] {
  return [
    `# HELP openbot_gateway_${name} ${help}`,
    `# TYPE openbot_gateway_${name} gauge`,
    `openbot_gateway_${name} ${value}`,
  ];
}

function counter(name: string, help: string, value: number): string[] {
  return [
    `# HELP openbot_gateway_${name} ${help}`,
    `# TYPE openbot_gateway_${name} counter`,
    `openbot_gateway_${name} ${value}`,
  ];
}
