import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { makeTools } from '../mcp-tools/make-tools.ts';
import { type McpOptions, resolveScope } from '../mcp-tools/scope.ts';
import { MCP_SERVER_NAME, type McpTool } from '../mcp-tools/tool.ts';
import { makeToolCaller } from './call-tool.ts';
import { loadMcpSdk, type McpSdk } from './load-mcp-sdk.ts';

export interface ServerOptions extends McpOptions {
  /** The version that clients see. Default: that of this package. */
  readonly version?: string;
  /** Called for invalid messages, broken connections and calls that were abandoned. */
  readonly onError?: (error: Error) => void;
}

/** A `Transport` of the MCP SDK. Not named as such, since types must also hold where that optional package is not installed. */
interface McpTransport {
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
}

export interface ServeOptions extends ServerOptions {
  /** Default: the standard input and output of this process. */
  readonly transport?: McpTransport;
  /** Replaces the standard input of this process. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
}

export interface McpServing {
  /** Resolves when the client is gone and its calls have ended, at most two minutes later. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const INSTRUCTIONS =
  'Tools of the agent that this run belongs to: the state of its project, its Claude Code sessions, the conversation ' +
  'that requested the run, its notes, and messages to the requester.';

/** Discovery in gigabytes of transcripts takes seconds; sending a message may hang. */
export const CALL_TIMEOUT_MS = 120_000;

/** Without it Claude Code hides the tools behind a search. Other clients ignore it. */
const OFFERED_AT_ONCE = { 'anthropic/alwaysLoad': true };

/** Serves one client. */
export type ServeClient = (
  streams: Pick<ServeOptions, 'transport' | 'stdin' | 'stdout'>,
) => Promise<McpServing>;

/**
 * Serves the tools to one client until it disconnects. Meanwhile nothing else may write to standard output.
 * @throws OpenBotError REPO_NOT_FOUND, SDK_NOT_INSTALLED; OpenBotError for an invalid agent or conversation
 */
export async function serveMcp(options: ServeOptions): Promise<McpServing> {
  const serve = await prepareServing(options);
  return serve(options);
}

/** Does once, for all clients, what takes time or can fail. @throws as `serveMcp` */
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
      (transport as Transport | undefined) ??
        openStdio(sdk, { stdin, stdout, onError }, () => finish(running, close, onError)),
    );
    return { closed, close };
  };
}

function announce({ name, title, description, inputSchema, outputSchema, isReadOnly }: McpTool) {
  const annotations = { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: !isReadOnly };
  return { name, title, description, inputSchema, outputSchema, annotations, _meta: OFFERED_AT_ONCE };
}

/** A client that has closed its end may still wait for answers. */
async function finish(
  running: ReadonlySet<Promise<unknown>>,
  close: () => Promise<void>,
  onError: ServerOptions['onError'],
): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<true>();
  const timer = setTimeout(resolve, CALL_TIMEOUT_MS, true);
  while (running.size > 0) {
    if ((await Promise.race([isLate, Promise.all(running)])) !== true) continue;
    onError?.(new Error('The client disconnected, and one of its calls did not end'));
    break;
  }
  clearTimeout(timer);
  // The last answer is written after the promise of its call resolves.
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
  // Without a listener, the broken pipe of a killed client would crash this process.
  stdout.on('error', (error: Error) => {
    onError?.(error);
    end();
  });
  return new StdioServerTransport(stdin, stdout) as Transport;
}

let version: string | undefined;

function readPackageVersion(): string {
  version ??= readManifest().version;
  return version;
}

function readManifest(): { readonly version: string } {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}
