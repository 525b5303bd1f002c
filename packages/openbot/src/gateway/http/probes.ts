/** For what watches over the process: whether it runs, and whether it can work. */
import { type Exchange, type HttpContext, sendJson } from './context.ts';

const LIVE = new Set(['/health', '/healthz']);
const READY = new Set(['/ready', '/readyz']);

export function isProbePath(path: string): boolean {
  return LIVE.has(path) || READY.has(path);
}

export function answerProbe(context: HttpContext, { response, path }: Exchange): void {
  if (LIVE.has(path)) {
    sendJson(response, 200, { ok: true, status: 'live' });
    return;
  }
  const failing = context.failing();
  const ready = failing.length === 0;
  sendJson(response, ready ? 200 : 503, { ready, failing, uptimeMs: Math.round(context.uptimeMs) });
}
