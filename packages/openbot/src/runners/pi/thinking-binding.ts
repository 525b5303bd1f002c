import type { Api, AssistantMessage, Model } from '@earendil-works/pi-ai';
import { bindsThinking } from '@openbot/sessions/transcript';
import { droppedPaths } from '../dropped-thinking.ts';

const BETA = 'thinking-binding-controls-2026-08-01';

interface Payload {
  readonly thinking?: { readonly type?: string; readonly block_binding?: unknown };
  readonly betas?: readonly string[];
}

/**
 * A request that asks its provider to leave out thinking whose conversation has changed, rather than to refuse all of it; or
 * one that asks for nothing, for addresses that do not know the field. pi asks by itself for some models that it knows.
 * Undefined for one that stays as it is.
 */
export function askToDropStale(
  payload: unknown,
  { id, api }: Pick<Model<Api>, 'id' | 'api'>,
  drops: boolean,
): unknown {
  if (api !== 'anthropic-messages' || !bindsThinking(id)) return undefined;
  const { thinking, betas = [], ...rest } = payload as Payload;
  const others = betas.filter((beta) => beta !== BETA);
  const { block_binding: _, ...unbound } = thinking ?? {};
  const isOn = unbound.type === 'adaptive' || unbound.type === 'enabled';
  if (drops && isOn) {
    const bound = { ...unbound, block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    return { ...rest, thinking: bound, betas: [...others, BETA] };
  }
  return {
    ...rest,
    ...(thinking !== undefined && { thinking: unbound }),
    ...(others.length > 0 && { betas: others }),
  };
}

/** Whether a described model takes adaptive thinking only. */
export function needsAdaptiveThinking({ id, api }: Pick<Model<Api>, 'id' | 'api'>): boolean {
  return api === 'anthropic-messages' && bindsThinking(id);
}

/** Where in the request the thinking was that the provider says it left out. */
export function pathsOfDrops({ diagnostics = [] }: Pick<AssistantMessage, 'diagnostics'>): string[] {
  return diagnostics.flatMap(({ type, details }) =>
    type === 'anthropic_input_transformations' ? droppedPaths(details?.transformations) : [],
  );
}
