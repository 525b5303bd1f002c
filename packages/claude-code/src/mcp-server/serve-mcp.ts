import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { makeTools } from '../mcp-tools/make-tools.ts';
import type { McpOptions } from '../mcp-tools/mcp-options.ts';
import { resolveScope } from '../mcp-tools/resolve-scope.ts';
import type { McpTool } from '../mcp-tools/tool.ts';
import { MCP_SERVER_NAME } from '../mcp-tools/tool-names.ts';
import { makeToolCaller } from './call-tool.ts';
import { loadMcpSdk, type McpSdk } from './load-mcp-sdk.ts';
import { readPackageVersion } from './package-version.ts';

export interface ServerOptions extends McpOptions {
  /** As clients are told. Default: that of this package. */
  readonly version?: string;
  /** Hears of lines that are no messages, of a connection that broke, and of a call that was given up. */
  readonly onError?: (error: Error) => void;
}

export interface ServeOptions extends ServerOptions {
  /** Default: the standard input and output of this process. */
  readonly transport?: Transport;
  /** Instead of the standard ones of this process. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

export interface McpServing {
  /** Resolves when the client is gone and what it had asked is answered, or has taken two minutes more. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const INSTRUCTIONS =
  'Tools of the agent that this run belongs to: the state of its project, its Claude Code sessions, the conversation ' +
  'in which it was asked, its notes, and a way to tell the requester something.';

/** Discovery of gigabytes takes some seconds; whoever sends a message may hang. */
export const CALL_TIMEOUT_MS = 120_000;

/** Else a run of Claude Code would have to search for the tools first. Other clients do not know it. */
const OFFERED_AT_ONCE = { 'anthropic/alwaysLoad': true };

/** Serves one client. */
export type ServeClient = (
  streams: Pick<ServeOptions, 'transport' | 'stdin' | 'stdout'>,
) => Promise<McpServing>;

/**
 * Serves the tools to one client until it leaves. Nothing but messages may be written to the standard output meanwhile.
 * @throws OpenBotError REPO_NOT_FOUND, SDK_NOT_INSTALLED; OpenBotError for an agent or a conversation that cannot be
 */
export async function serveMcp(options: ServeOptions): Promise<McpServing> {
  const serve = await prepareServing(options);
  return serve(options);
}

/** Everything that takes time or can be wrong, once for all clients. @throws as `serveMcp` */
export async function prepareServing(options: ServerOptions): Promise<ServeClient> {
  const { version = readPackageVersion(), onError } = options;
  const tools = makeTools(resolveScope(options));
  const sdk = await loadMcpSdk();
  const callTool = makeToolCaller(tools, sdk);
  return async ({ transport, stdin, stdout }) => {
    const server = new sdk.Server(
      { name: MCP_SERVER_NAME, version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    const { promise: closed, resolve: settle } = Promise.withResolvers<void>();
    const running = new Set<Promise<unknown>>();
    server.onclose = settle;
    server.onerror = (error) => onError?.(error);
    server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools: tools.map(announce) }));
    server.setRequestHandler(sdk.CallToolRequestSchema, ({ params }) => {
      const call = callTool(params.name, params.arguments);
      running.add(call);
      void call.finally(() => running.delete(call));
      return call;
    });
    const close = () => server.close();
    await server.connect(
      transport ?? openStdio(sdk, { stdin, stdout, onError }, () => finish(running, close, onError)),
    );
    return { closed, close };
  };
}

function announce({ name, title, description, inputSchema, outputSchema, isReadOnly }: McpTool) {
  const annotations = { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: !isReadOnly };
  return { name, title, description, inputSchema, outputSchema, annotations, _meta: OFFERED_AT_ONCE };
}

/** The client closes its end when it has no more to ask, and may still wait for answers. */
async function finish(
  running: ReadonlySet<Promise<unknown>>,
  close: () => Promise<void>,
  onError: ServerOptions['onError'],
): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<true>();
  const timer = setTimeout(resolve, CALL_TIMEOUT_MS, true);
  while (running.size > 0) {
    if ((await Promise.race([isLate, Promise.all(running)])) !== true) continue;
    onError?.(new Error('The client left, and a call that it had made did not end'));
    break;
  }
  clearTimeout(timer);
  // The last answer is written behind the promise of its call.
  setImmediate(() => void close());
}

function openStdio(
  { StdioServerTransport }: McpSdk,
  {
    stdin = process.stdin,
    stdout = process.stdout,
    onError,
  }: Pick<ServeOptions, 'stdin' | 'stdout' | 'onError'>,
  onEnd: () => Promise<void>,
): Transport {
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    void onEnd();
  };
  stdin.once('end', end);
  stdin.once('close', end);
  // A client that is killed leaves a broken pipe, which would end the process with a stack trace.
  stdout.on('error', (error: Error) => {
    onError?.(error);
    end();
  });
  return new StdioServerTransport(stdin, stdout) as Transport;
}
