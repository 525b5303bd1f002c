/**
 * Loaded before OpenClaw: requests to api.anthropic.com reach the imitation that OPENBOT_INTEROP_API names. Only there
 * OpenClaw asks that invalid thinking is dropped.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const HOST = 'api.anthropic.com';
const api = process.env.OPENBOT_INTEROP_API;
const { fetch } = globalThis;
const { lookup } = dns.promises;

/** A `fetch` with a `mock` is used as it is; others get connections of OpenClaw's own. */
globalThis.fetch = Object.assign(
  (url, { dispatcher, ...init } = {}) => {
    const { hostname, pathname, search } = new URL(String(url));
    return fetch(hostname === HOST ? new URL(`${pathname}${search}`, api) : url, init);
  },
  { mock: {} },
);

/** It is looked up before each request, and must be no address of this machine. */
dns.promises.lookup = async (name, options) => {
  if (name !== HOST) return lookup(name, options);
  const found = { address: '160.79.104.10', family: 4 };
  return options?.all ? [found] : found;
};
syncBuiltinESMExports();
