/** The process that clients connect to. */
import * as z from 'zod/mini';
import { DEFAULT_GATEWAY_PORT, GATEWAY_BINDS, type GatewaySettings } from '../bot-config.ts';
import {
  about,
  byName,
  count,
  flag,
  oneOf,
  type Shape,
  secret,
  section,
  someText,
  text,
  texts,
} from './values.ts';

const wrongPort = 'must be a port from 1 to 65535';

const enabled = (what: string) => section({ enabled: about(what, flag, false) });

const ADDRESS_RANGE = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

export const gateway = section({
  port: about(
    'The port of WebSocket and HTTP',
    z.optional(z.int(wrongPort).check(z.gte(1, { error: wrongPort }), z.lte(65_535, { error: wrongPort }))),
    DEFAULT_GATEWAY_PORT,
  ),
  bind: about(
    'Who can reach it: `loopback` and `auto`, this machine; `lan`, every network of this machine; `tailnet`, its Tailscale address, or this machine where there is none; `custom`, `customBindHost`. Others than loopback need a token of at least 128 bits',
    oneOf(...GATEWAY_BINDS),
    'loopback',
  ),
  customBindHost: about(
    'With `bind: custom`: the address to listen on',
    z.optional(z.union([z.ipv4(), z.ipv6()], 'must be an IP address')),
  ),
  auth: about(
    'Who may connect',
    section({
      token: secret(
        'The token of full rights. That in `secrets/gateway-token` of the state folder when absent, which is made at the first start',
        someText,
      ),
      agentTokens: about(
        'Tokens by the id of an agent. A client with one sees that agent and no other',
        byName(secret('The token for this agent', text)),
      ),
    } satisfies Shape<NonNullable<GatewaySettings['auth']>>),
  ),
  allowedHosts: about(
    'Names by which it may be called, such as that of a proxy before it. Those of loopback and the address that it listens on need not be listed',
    texts,
  ),
  trustedProxies: about(
    'Proxies before it, by IP address or network such as `10.0.0.0/8`: of the requests that they pass on, `x-forwarded-for` says who the client is; no other header is read. From others that header is not believed, also not from this machine',
    z.optional(
      z.array(
        z.string('must be text').check(
          z.refine((value) => z.safeParse(ADDRESS_RANGE, value).success, {
            error: 'must be an IP address, or a network such as 10.0.0.0/8',
          }),
        ),
        'must be a list of texts',
      ),
    ),
  ),
  controlUi: about(
    "OpenClaw's page",
    section({
      root: about('The folder with its files. No page is served when absent', someText),
      allowedOrigins: about("Origins of pages that may connect, besides the gateway's own", texts),
    } satisfies Shape<NonNullable<GatewaySettings['controlUi']>>),
  ),
  http: about(
    'What is served beside the methods',
    section({
      endpoints: about(
        'APIs in the form of OpenAI',
        section({
          chatCompletions: about(
            'Chat completions',
            enabled('Whether `/v1/chat/completions` and `/v1/models` are served'),
          ),
          responses: about('Responses', enabled('Whether `/v1/responses` is served')),
        }),
      ),
      channels: about(
        'Requests of chat networks to `/channels/…`',
        section({ maxBytes: about('The largest body', count(1024), 4_194_304) }),
      ),
    }),
  ),
  metrics: about('Figures for Prometheus', enabled('Whether `/metrics` is served')),
  graceSeconds: about('Seconds that runs may take to end when it stops', count(0), 10),
} satisfies Shape<GatewaySettings>);
