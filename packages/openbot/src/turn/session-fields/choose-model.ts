import type { StoredEntry } from '@openbot/sessions';
import type { ModelChoice } from '../../runners/contract.ts';

interface ModelRef {
  readonly provider: string;
  readonly model: string;
}

export interface ChosenModel {
  readonly model: ModelChoice;
  /** For the agent and the person, where another model answers than the session asks for. Said once. */
  readonly notice?: string;
}

/** The model of the next run: what this run asks for, else the session's own, else the agent's. */
export function chooseModel(params: {
  readonly entry: Pick<
    StoredEntry,
    'providerOverride' | 'modelOverride' | 'modelProvider' | 'model' | 'systemSent'
  >;
  /** For this run only; its caller has made sure that it exists. */
  readonly asked?: ModelRef;
  /** The agent's model, as configured. */
  readonly standard: ModelRef;
  /** Of the runners; undefined for a model that none of them has. */
  describe(provider: string, model: string): ModelChoice | undefined;
  /** Tokens of the window, where the configuration has them. */
  contextWindowOf?(ref: ModelRef): number | undefined;
}): ChosenModel {
  const { entry, asked, standard, describe, contextWindowOf = () => undefined } = params;
  const look = (ref: ModelRef): ModelChoice | undefined => {
    const found = describe(ref.provider, ref.model);
    return found && limitWindow(found, contextWindowOf(ref));
  };
  // An unknown standard is left to its runner, whose error says what to set.
  const fallback = () => look(standard) ?? standard;
  if (asked !== undefined) return { model: look(asked) ?? asked };
  const own = readOverride(entry, standard);
  if (own === undefined) return { model: fallback() };
  const model = look(own);
  if (model !== undefined) return { model };
  const instead = fallback();
  const isKnown =
    entry.systemSent === true && entry.modelProvider === instead.provider && entry.model === instead.model;
  const notice = `The model ${own.provider}/${own.model} that was set for this session is not available. ${instead.provider}/${instead.model} answers instead.`;
  return { model: instead, ...(!isKnown && { notice }) };
}

/** The session's own model. A part that it does not name is the agent's. */
function readOverride(
  { providerOverride, modelOverride }: Pick<StoredEntry, 'providerOverride' | 'modelOverride'>,
  standard: ModelRef,
): ModelRef | undefined {
  const provider = readName(providerOverride);
  const model = readName(modelOverride);
  if (model === undefined) return provider === undefined ? undefined : { ...standard, provider };
  const slash = model.indexOf('/');
  if (provider !== undefined || slash <= 0) return { provider: provider ?? standard.provider, model };
  return { provider: model.slice(0, slash), model: model.slice(slash + 1) };
}

function readName(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A configured window counts where the runner does not know it, and where it is smaller. */
export function limitWindow(model: ModelChoice, configured: number | undefined): ModelChoice {
  if (configured === undefined || (model.contextWindow ?? Number.POSITIVE_INFINITY) <= configured)
    return model;
  return { ...model, contextWindow: configured };
}
