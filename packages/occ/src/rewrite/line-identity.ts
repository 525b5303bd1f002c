/** What no rewrite changes of a line: what it is, and when it was said. */
interface LineIdentity {
  readonly text: string;
  /** Whether it says when. */
  readonly isTimed: boolean;
}

export function identifyLine(line: Buffer): LineIdentity {
  const { type, timestamp, message } = parse(line);
  const { role, timestamp: saidAt, toolCallId } = asObject(message);
  return {
    text: JSON.stringify([type, timestamp, role, saidAt, toolCallId]),
    isTimed: timestamp !== undefined || saidAt !== undefined,
  };
}

function parse(line: Buffer): Record<string, unknown> {
  try {
    return asObject(JSON.parse(line.toString()));
  } catch {
    return {};
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
