/** Ids of Discord are numbers of 64 bits, as text, that grow with time. */
const EPOCH = 1_420_070_400_000;

export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value);
}

export function isNewer(id: string, than: string): boolean {
  return id.length === than.length ? id > than : id.length > than.length;
}

export function byAge(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id === b.id ? 0 : isNewer(a.id, b.id) ? 1 : -1;
}

/** An id that is older than all of this time, and newer than those before it. */
export function idAt(ms: number): string {
  return String(BigInt(Math.max(0, Math.floor(ms) - EPOCH)) << 22n);
}
