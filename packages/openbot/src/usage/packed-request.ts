import type { UsageRequest } from './rules/request.ts';

/** The numbers of a request, in half the bytes of an object; a hundred thousand of them are kept for some people. */
export type PackedRequest = readonly [
  at: number,
  model: number,
  input: number,
  output: number,
  cacheWrite: number,
  cacheWrite1h: number,
  cacheRead: number,
  flags: number,
  id: string | 0,
  requestId: string | 0,
  session: string | 0,
  costUsd?: number,
];

export type ModelName = readonly [model: string | 0, provider: string | 0];

const SIDECHAIN = 1;
const SPEED = 2;

/** Models by number. */
export class ModelTable {
  readonly names: ModelName[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(model: string | undefined, provider: string | undefined): number {
    const key = `${model}\n${provider}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.names.length);
    return this.names.push([model ?? 0, provider ?? 0]) - 1;
  }
}

export function packRequest(request: UsageRequest, models: ModelTable): PackedRequest {
  const {
    at,
    input,
    output,
    cacheWrite,
    cacheWrite1h,
    cacheRead,
    id = 0,
    requestId = 0,
    session = 0,
  } = request;
  const flags = (request.isSidechain ? SIDECHAIN : 0) + (request.hasSpeed ? SPEED : 0);
  const model = models.numberOf(request.model, request.provider);
  const packed = [
    at,
    model,
    input,
    output,
    cacheWrite,
    cacheWrite1h,
    cacheRead,
    flags,
    id,
    requestId,
    session,
  ] as const;
  return request.costUsd === undefined ? packed : [...packed, request.costUsd];
}

export function unpackRequest(packed: PackedRequest, models: readonly ModelName[]): UsageRequest {
  const [
    at,
    model,
    input,
    output,
    cacheWrite,
    cacheWrite1h,
    cacheRead,
    flags,
    id,
    requestId,
    session,
    costUsd,
  ] = packed;
  const [name, provider] = models[model]!;
  return {
    at,
    ...(name !== 0 && { model: name }),
    ...(provider !== 0 && { provider }),
    input,
    output,
    cacheWrite,
    cacheWrite1h,
    cacheRead,
    ...(costUsd !== undefined && { costUsd }),
    ...(id !== 0 && { id }),
    ...(requestId !== 0 && { requestId }),
    ...(session !== 0 && { session }),
    ...(flags & SIDECHAIN && { isSidechain: true }),
    ...(flags & SPEED && { hasSpeed: true }),
  };
}
