import type { MessageObject, World } from './world.ts';

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Call {
  readonly method: string;
  /** Behind `/api/v10`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[];
}

/** What the server tells its clients about. */
export interface Effects {
  readonly origin: string;
  dispatch(t: string, d: unknown): void;
  keepFile(bytes: Buffer): string;
}

type Route = (world: World, call: Call, ids: readonly string[], effects: Effects) => Answer;

const TEXT_LIMIT = 2000;
const unknownChannel: Answer = { status: 404, body: { message: 'Unknown Channel', code: 10003 } };
const unknownMessage: Answer = { status: 404, body: { message: 'Unknown Message', code: 10008 } };

const ROUTES: readonly (readonly [string, RegExp, Route])[] = [
  [
    'GET',
    /^\/gateway\/bot$/,
    (_world, _call, _ids, { origin }) => ({ status: 200, body: gatewayInfo(origin) }),
  ],
  ['GET', /^\/users\/@me$/, ({ self }) => ({ status: 200, body: self })],
  [
    'GET',
    /^\/applications\/@me$/,
    ({ applicationId, flags }) => ({ status: 200, body: { id: applicationId, flags } }),
  ],
  ['GET', /^\/users\/@me\/guilds$/, ({ guilds }) => ({ status: 200, body: [...guilds.values()] })],
  ['POST', /^\/users\/@me\/channels$/, openDirect],
  [
    'GET',
    /^\/guilds\/(\d+)$/,
    ({ guilds }, _call, [id = '']) => found(guilds.get(id), { message: 'Unknown Guild', code: 10004 }),
  ],
  [
    'GET',
    /^\/guilds\/(\d+)\/channels$/,
    (world, _call, [id]) => ({ status: 200, body: channelsOf(world, id, false) }),
  ],
  [
    'GET',
    /^\/guilds\/(\d+)\/threads\/active$/,
    (world, _call, [id]) => ({ status: 200, body: { threads: channelsOf(world, id, true), members: [] } }),
  ],
  [
    'GET',
    /^\/guilds\/(\d+)\/members\/(\d+)$/,
    ({ guilds }, _call, [id = '']) => ({ status: 200, body: { roles: guilds.get(id)?.botRoles ?? [] } }),
  ],
  [
    'GET',
    /^\/channels\/(\d+)$/,
    ({ channels }, _call, [id = '']) => found(channels.get(id), unknownChannel.body),
  ],
  ['GET', /^\/channels\/(\d+)\/messages$/, listMessages],
  [
    'GET',
    /^\/channels\/(\d+)\/messages\/(\d+)$/,
    (world, _call, [channel = '', id = '']) => found(world.find(channel, id), unknownMessage.body),
  ],
  ['POST', /^\/channels\/(\d+)\/messages$/, createMessage],
  ['PATCH', /^\/channels\/(\d+)\/messages\/(\d+)$/, editMessage],
  ['POST', /^\/channels\/(\d+)\/threads$/, createPost],
  ['POST', /^\/channels\/(\d+)\/typing$/, ({ typing }, _call, [id = '']) => noted(typing, id)],
  [
    'PUT',
    /^\/channels\/(\d+)\/thread-members\/@me$/,
    ({ joinedThreads }, _call, [id = '']) => noted(joinedThreads, id),
  ],
  ['PUT', /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/, react],
  ['DELETE', /^\/channels\/(\d+)\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/, unreact],
  ['PUT', /^\/applications\/(\d+)\/commands$/, setCommands],
  ['POST', /^\/interactions\/(\d+)\/[^/]+\/callback$/, answerInteraction],
];

export function answerCall(world: World, call: Call, effects: Effects): Answer {
  for (const [method, pattern, route] of ROUTES) {
    const match = method === call.method ? pattern.exec(call.path) : null;
    if (match !== null) return route(world, call, match.slice(1), effects);
  }
  return { status: 404, body: { message: '404: Not Found', code: 0 } };
}

function noted(list: string[], id: string): Answer {
  list.push(id);
  return { status: 204 };
}

function setCommands(world: World, { body }: Call): Answer {
  world.commands = body as unknown as unknown[];
  return { status: 200, body };
}

function found(value: unknown, otherwise: unknown): Answer {
  return value === undefined ? { status: 404, body: otherwise } : { status: 200, body: value };
}

function gatewayInfo(origin: string) {
  const limit = { total: 1000, remaining: 999, reset_after: 86_400_000, max_concurrency: 1 };
  return { url: `${origin.replace('http', 'ws')}/gateway`, shards: 1, session_start_limit: limit };
}

function channelsOf({ channels }: World, guildId: string | undefined, areThreads: boolean) {
  return [...channels.values()].filter(
    ({ guild_id, type }) => guild_id === guildId && (type === 11 || type === 12) === areThreads,
  );
}

function openDirect(world: World, { body }: Call): Answer {
  const user = world.users.get(String(body.recipient_id));
  if (user === undefined) return { status: 400, body: { message: 'Unknown User', code: 10013 } };
  return { status: 200, body: world.directChannel(user) };
}

/** As Discord: those that follow `after` most closely, the newest of them first. No nonces. */
function listMessages(world: World, { query }: Call, [channelId = '']: readonly string[]): Answer {
  if (!world.channels.has(channelId)) return unknownChannel;
  const limit = Number(query.get('limit') ?? 50);
  const after = query.get('after');
  const all = [...(world.messages.get(channelId) ?? [])].sort((a, b) =>
    BigInt(a.id) < BigInt(b.id) ? -1 : 1,
  );
  const page =
    after === null ? all.slice(-limit) : all.filter(({ id }) => BigInt(id) > BigInt(after)).slice(0, limit);
  return { status: 200, body: page.reverse().map(({ nonce: _, ...message }) => message) };
}

function refusal(world: World, channelId: string, content: unknown, hasMore: boolean): Answer | undefined {
  const channel = world.channels.get(channelId);
  if (channel === undefined) return unknownChannel;
  if (channel.type === 15)
    return { status: 400, body: { message: 'Cannot send messages in a non-text channel', code: 50008 } };
  const text = typeof content === 'string' ? content : '';
  if (text.length > TEXT_LIMIT) {
    const error = { code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${TEXT_LIMIT} or fewer in length.` };
    return {
      status: 400,
      body: { message: 'Invalid Form Body', code: 50035, errors: { content: { _errors: [error] } } },
    };
  }
  if (text.trim() === '' && !hasMore) {
    return { status: 400, body: { message: 'Cannot send an empty message', code: 50006 } };
  }
  return undefined;
}

function createMessage(
  world: World,
  call: Call,
  [channelId = '']: readonly string[],
  effects: Effects,
): Answer {
  const { body, files } = call;
  const refused = refusal(world, channelId, body.content, files.length > 0 || Array.isArray(body.embeds));
  if (refused !== undefined) return refused;
  const nonce = typeof body.nonce === 'string' ? body.nonce : undefined;
  if (nonce !== undefined && nonce.length > 25)
    return { status: 400, body: { message: 'Invalid Form Body', code: 50035 } };
  const former = nonce !== undefined && body.enforce_nonce === true ? world.recall(nonce) : undefined;
  if (former !== undefined) return { status: 200, body: former };
  const message = world.keep(ofBot(world, channelId, call, effects));
  if (nonce !== undefined) world.remember(nonce, message);
  effects.dispatch('MESSAGE_CREATE', message);
  return { status: 200, body: message };
}

function ofBot(world: World, channelId: string, { body, files }: Call, effects: Effects): MessageObject {
  const { content = '', nonce, components, message_reference, allowed_mentions, flags, embeds } = body;
  return world.makeMessage(channelId, world.self, {
    content: String(content).trim(),
    ...(nonce !== undefined && { nonce }),
    ...(components !== undefined && { components }),
    ...(message_reference !== undefined && { message_reference, type: 19 }),
    ...(embeds !== undefined && { embeds }),
    flags: flags ?? 0,
    sent: { allowed_mentions },
    attachments: files.map(({ name, type, bytes }, at) => ({
      id: String(at + 1),
      filename: name,
      content_type: type,
      size: bytes.length,
      url: effects.keepFile(bytes),
    })),
  });
}

function createPost(world: World, call: Call, [parentId = '']: readonly string[], effects: Effects): Answer {
  const parent = world.channels.get(parentId);
  if (parent?.type !== 15) return unknownChannel;
  const first = call.body.message as Record<string, unknown>;
  const id = world.newId();
  const { guild_id } = parent;
  world.addChannel({ id, type: 11, guild_id, parent_id: parentId, name: String(call.body.name) });
  const message = { ...ofBot(world, id, { ...call, body: first }, effects), id };
  world.keep(message);
  effects.dispatch('THREAD_CREATE', { ...world.channels.get(id), newly_created: true });
  effects.dispatch('MESSAGE_CREATE', message);
  return { status: 201, body: { ...world.channels.get(id), message } };
}

function editMessage(
  world: World,
  { body }: Call,
  [channelId = '', id = '']: readonly string[],
  effects: Effects,
): Answer {
  const message = world.find(channelId, id);
  if (message === undefined) return unknownMessage;
  if (message.author.id !== world.self.id)
    return { status: 403, body: { message: 'Cannot edit a message authored by another user', code: 50005 } };
  const refused = refusal(world, channelId, body.content, false);
  if (refused !== undefined) return refused;
  Object.assign(message, { content: body.content, edited_timestamp: new Date(world.time).toISOString() });
  effects.dispatch('MESSAGE_UPDATE', message);
  return { status: 200, body: message };
}

function react(world: World, _call: Call, [channel = '', id = '', emoji = '']: readonly string[]): Answer {
  const message = world.find(channel, id);
  if (message === undefined) return unknownMessage;
  const name = decodeURIComponent(emoji);
  world.reactions.add(`${channel} ${id} ${name}`);
  const [plain, emojiId = null] = name.split(':');
  const others = (message.reactions as unknown[] | undefined) ?? [];
  message.reactions = [...others, { count: 1, me: true, emoji: { id: emojiId, name: plain } }];
  return { status: 204 };
}

function unreact(world: World, _call: Call, [channel = '', id = '', emoji = '']: readonly string[]): Answer {
  const message = world.find(channel, id);
  if (message === undefined) return unknownMessage;
  const name = decodeURIComponent(emoji);
  world.reactions.delete(`${channel} ${id} ${name}`);
  const all = (message.reactions ?? []) as { emoji: { id: string | null; name: string } }[];
  message.reactions = all.filter(
    (one) => (one.emoji.id === null ? one.emoji.name : `${one.emoji.name}:${one.emoji.id}`) !== name,
  );
  return { status: 204 };
}

function answerInteraction(world: World, { body }: Call, [id = '']: readonly string[]): Answer {
  if (world.interactionAnswers.some((answer) => answer.id === id)) {
    return { status: 400, body: { message: 'Interaction has already been acknowledged.', code: 40060 } };
  }
  world.interactionAnswers.push({ id, body });
  return { status: 204 };
}
