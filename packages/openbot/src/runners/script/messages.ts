/** Four characters for a token. */
export function tokensOf(value: unknown): number {
  return Math.ceil(charactersOf(value) / 4);
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + charactersOf(part), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const { text, thinking, name, arguments: args, content, summary } = value as Record<string, unknown>;
  const call = args === undefined ? 0 : JSON.stringify(args).length + charactersOf(name);
  return [text, thinking, content, summary].reduce((sum: number, part) => sum + charactersOf(part), call);
}
