/** What the configuration says about the gateway. It is asked each time, so that a change holds at once. */
export interface GatewaySettings {
  /** Of full rights. */
  readonly token: string;
  /** The same, for commands of the owner on this machine. */
  readonly commandToken?: string;
  /** By agent: a client that has it reaches this agent alone. */
  readonly agentTokens: Readonly<Record<string, string>>;
  /** Names in `Host` beside `localhost` and addresses. */
  readonly allowedHosts: readonly string[];
  /** Addresses and networks of proxies that say truly who their clients are. */
  readonly trustedProxies: readonly string[];
  /** Pages of other hosts that may connect, such as `https://chat.example`. */
  readonly allowedOrigins: readonly string[];
  readonly chatCompletions: boolean;
  readonly responses: boolean;
  readonly metrics: boolean;
  /** The largest request to a channel. */
  readonly webhookBytes: number;
  /** The folder of OpenClaw's built page. */
  readonly controlUiRoot?: string;
}

/** The section `gateway` of the configuration, as far as the server reads it. */
export interface GatewayConfig {
  readonly allowedHosts?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly controlUi?: { readonly allowedOrigins?: readonly string[]; readonly root?: string };
  readonly http?: {
    readonly endpoints?: {
      readonly chatCompletions?: { readonly enabled?: boolean };
      readonly responses?: { readonly enabled?: boolean };
    };
    readonly channels?: { readonly maxBytes?: number };
  };
  readonly metrics?: { readonly enabled?: boolean };
}

/** Networks send files as links, but many events at once: WhatsApp up to 3 MB. */
const WEBHOOK_BYTES = 4_194_304;

export function readGatewaySettings(
  tokens: Pick<GatewaySettings, 'token' | 'commandToken' | 'agentTokens'>,
  config: GatewayConfig = {},
): GatewaySettings {
  const { allowedHosts = [], trustedProxies = [], controlUi, http, metrics } = config;
  return {
    ...tokens,
    allowedHosts,
    trustedProxies,
    allowedOrigins: controlUi?.allowedOrigins ?? [],
    chatCompletions: http?.endpoints?.chatCompletions?.enabled === true,
    responses: http?.endpoints?.responses?.enabled === true,
    metrics: metrics?.enabled === true,
    webhookBytes: http?.channels?.maxBytes ?? WEBHOOK_BYTES,
    controlUiRoot: controlUi?.root,
  };
}
