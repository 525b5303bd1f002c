/**
 * Strings held once, as bytes, and named by numbers. A transcript has several ids a line, hundreds of thousands in
 * all; as strings in a Map they would cost more memory than all else that is kept of it.
 */
export class StringTable {
  #arena = Buffer.allocUnsafeSlow(16 * 1024);
  /** Where each string begins in the arena; one more for the end of the last. */
  #offsets = new Uint32Array(1025);
  #hashes = new Int32Array(1024);
  #count = 0;
  /** Open addressing: number + 1, 0 for a free slot. Never more than half full. */
  #slots = new Int32Array(4096);

  get size(): number {
    return this.#count;
  }

  /** The number of a string that is given as UTF-8. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const slot = this.#slotOf(hash, bytes, start, end);
    const known = this.#slots[slot]!;
    return known > 0 ? known - 1 : this.#add(slot, hash, bytes, start, end);
  }

  internText(text: string): number {
    const bytes = Buffer.from(text);
    return this.intern(bytes, 0, bytes.length);
  }

  /** The number of a string, or -1 where it is not in the table. */
  find(text: string): number {
    const bytes = Buffer.from(text);
    return this.#slots[this.#slotOf(hashOf(bytes, 0, bytes.length), bytes, 0, bytes.length)]! - 1;
  }

  text(number: number): string {
    return this.#arena.toString('utf8', this.#offsets[number], this.#offsets[number + 1]);
  }

  #slotOf(hash: number, bytes: Uint8Array, start: number, end: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const number = this.#slots[slot]! - 1;
      if (number < 0) return slot;
      if (this.#hashes[number] === hash && this.#holds(number, bytes, start, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #holds(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#offsets[number]!;
    const length = end - start;
    if (this.#offsets[number + 1]! - from !== length) return false;
    const arena = this.#arena;
    for (let i = 0; i < length; i++) if (arena[from + i] !== bytes[start + i]) return false;
    return true;
  }

  #add(slot: number, hash: number, bytes: Uint8Array, start: number, end: number): number {
    const number = this.#count++;
    if (number === this.#hashes.length) this.#growNumbers();
    const from = this.#offsets[number]!;
    const to = from + end - start;
    if (to > this.#arena.length) this.#growArena(to);
    const arena = this.#arena;
    for (let i = 0; i < end - start; i++) arena[from + i] = bytes[start + i]!;
    this.#offsets[number + 1] = to;
    this.#hashes[number] = hash;
    this.#slots[slot] = number + 1;
    if (this.#count * 2 > this.#slots.length) this.#growSlots();
    return number;
  }

  #growArena(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#arena.length + (this.#arena.length >> 1)));
    this.#arena.copy(grown);
    this.#arena = grown;
  }

  #growNumbers(): void {
    const capacity = this.#hashes.length + (this.#hashes.length >> 1);
    const hashes = new Int32Array(capacity);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    const offsets = new Uint32Array(capacity + 1);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
  }

  #growSlots(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = this.#hashes[number]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
  // Ids are often hex: mix, lest neighbours crowd the same slots.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
