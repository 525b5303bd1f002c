/** Where in a request thinking was that its provider left out, from the `input_transformations` of the answer. */
export function droppedPaths(transformations: unknown): string[] {
  if (!Array.isArray(transformations)) return [];
  return transformations.flatMap((one: { readonly type?: unknown; readonly path?: unknown } | null) =>
    one?.type === 'thinking_dropped' ? [String(one.path ?? '?')] : [],
  );
}
