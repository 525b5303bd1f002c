/** The same header, from a whole text by JSON.parse and nothing else. */
type Json = Record<string, unknown>;

const MACHINE = [
  '<command-name>',
  '<command-message>',
  '<command-args>',
  '<command-stdout>',
  '<local-command-stdout>',
  '<local-command-stderr>',
  '<local-command-caveat>',
  '<bash-input>',
  '<bash-stdout>',
  '<bash-stderr>',
  '<task-notification>',
  '<system-reminder>',
  '<user-prompt-submit-hook>',
  '<ide_opened_file>',
  '<ide_selection>',
  '[Request interrupted by user',
];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const isTyped = (text: string) => text.length > 0 && !MACHINE.some((opening) => text.startsWith(opening));
const figureOf = (value: unknown) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0);

export function referenceHeader(text: string) {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const words: Record<string, string> = {};
  const cwds = new Map<string, number>();
  const people = new Set<string>();
  const boundaries = new Set<string>();
  const messages = new Map<string, { input: number; cache: number; output: number }>();
  for (const line of lines) {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      continue;
    }
    if (!isObject(value)) continue;
    const { type } = value;
    const mode = textOf(value.permissionMode);
    if (mode !== undefined && (type === 'user' || type === 'permission-mode')) words.permissionMode = mode;
    const custom = type === 'custom-title' ? textOf(value.customTitle) : undefined;
    if (custom !== undefined) words.customTitle = custom;
    const ai = type === 'ai-title' ? textOf(value.aiTitle) : undefined;
    if (ai !== undefined) words.aiTitle = ai;
    if (!('uuid' in value)) continue;
    for (const name of ['gitBranch', 'version', 'slug']) {
      const word = textOf(value[name]);
      if (word !== undefined) words[name] = word;
    }
    const fork = isObject(value.forkedFrom) ? textOf(value.forkedFrom.sessionId) : undefined;
    if (fork !== undefined) words.forkedFrom ??= fork;
    const cwd = textOf(value.cwd);
    if (cwd?.startsWith('/')) cwds.set(cwd, (cwds.get(cwd) ?? 0) + 1);
    const uuid = String(value.uuid);
    if (type === 'system' && value.subtype === 'compact_boundary') boundaries.add(uuid);
    if (value.isSidechain === true) continue;
    const message = isObject(value.message) ? value.message : {};
    if (type === 'assistant') {
      if (value.isApiErrorMessage === true || message.model === '<synthetic>') continue;
      const usage = isObject(message.usage) && message.usage.estimatedBy !== 'openbot' ? message.usage : {};
      const id = textOf(message.id) ?? uuid;
      const known = messages.get(id) ?? { input: 0, cache: 0, output: 0 };
      const cache = figureOf(usage.cache_read_input_tokens) + figureOf(usage.cache_creation_input_tokens);
      messages.set(id, {
        input: Math.max(known.input, figureOf(usage.input_tokens)),
        cache: Math.max(known.cache, cache),
        output: Math.max(known.output, figureOf(usage.output_tokens)),
      });
    } else if (type === 'user') {
      const texts = typedTexts(value, message.content);
      if (texts === undefined) continue;
      const isFirst = people.size === 0;
      people.add(uuid);
      if (isFirst) words.firstUuid = uuid;
      const first = texts.find((typed) => typed.trim() !== '');
      if (words.firstUserMessage !== undefined || first === undefined) continue;
      const marker = /^\[openclaw:agent=([^\]\r\n]+)\]/.exec(first);
      const agent = marker?.[1]?.trim();
      if (agent && isFirst) words.originMarker = agent;
      const rest = first
        .slice(marker?.[0].length ?? 0)
        .trim()
        .toWellFormed();
      const shown = rest.slice(0, 200).replace(/[\ud800-\udbff]$/, '');
      if (shown !== '') words.firstUserMessage = shown;
    }
  }
  const sum = (pick: (one: { input: number; cache: number; output: number }) => number) =>
    [...messages.values()].reduce((total, one) => total + pick(one), 0);
  return {
    ...words,
    cwds: [...cwds.keys()],
    cwdLines: [...cwds.values()],
    lineCount: lines.length,
    messageCount: people.size + messages.size,
    totalInputTokens: sum((one) => one.input),
    totalCacheTokens: sum((one) => one.cache),
    totalOutputTokens: sum((one) => one.output),
    compactionCount: boundaries.size,
  };
}

/** What a person typed in a line; undefined where nobody did. */
function typedTexts(line: Json, content: unknown): string[] | undefined {
  const byProgram =
    line.isMeta === true ||
    line.isCompactSummary === true ||
    line.isVisibleInTranscriptOnly === true ||
    (isObject(line.origin) && line.origin.kind === 'task-notification');
  if (byProgram) return undefined;
  if (typeof content === 'string') return isTyped(content) ? [content] : undefined;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  if (blocks.some((block) => block.type === 'tool_result')) return undefined;
  const texts = blocks
    .flatMap((block) => (block.type === 'text' ? (textOf(block.text) ?? []) : []))
    .filter(isTyped);
  return texts.length > 0 || blocks.some((block) => block.type === 'image') ? texts : undefined;
}
