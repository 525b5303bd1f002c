import { KERNEL_CODE } from './kernel-code.ts';

/** What assembly/ exports. Addresses and lengths are of its memory. */
interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Where the events of what was skimmed last are. */
  readonly events: { readonly value: number };
  /** Where it says of lines that were skimmed together: their beginning, their end, and behind their last event. */
  readonly lines: { readonly value: number };
  /** How many events there are, or -1. */
  skim(start: number, end: number, root: number): number;
  /** How many lines were skimmed together; those behind them are to be skimmed one by one. */
  skimLines(start: number, end: number, root: number): number;
  allocate(size: number): number;
  intern(start: number, length: number): number;
  find(start: number, length: number): number;
  recordOf(number: number): number;
  size(): number;
}

/** As much as is used here of what every Node has; its types come with a browser's. */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: unknown };
};

/** So much can be placed without taking more memory. */
export const FIRST_LINE_ROOM = 256 * 1024;
const FIRST_TEXT_ROOM = 1024;

let compiled: object | undefined;

/**
 * The part that looks at every byte, in WebAssembly: 64 bytes a step, and quick from its first line on, where JavaScript
 * would have to run for a while before it is compiled well. Each has a memory of its own, which holds the strings it met.
 */
export class Kernel {
  readonly code: KernelExports;
  #line = 0;
  #lineRoom = 0;
  #text = 0;
  #textRoom = 0;
  #bytes: Buffer;
  #figures: Int32Array;

  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(KERNEL_CODE, 'base64'));
    this.code = new WebAssembly.Instance(compiled).exports as KernelExports;
    this.#bytes = Buffer.from(this.code.memory.buffer);
    this.#figures = new Int32Array(this.code.memory.buffer);
  }

  /** Its memory. To be asked for anew after each call: growing replaces it. */
  get bytes(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.code.memory.buffer);
    return this.#bytes;
  }

  /** Its memory as figures of four bytes. To be asked for anew after each call. */
  get figures(): Int32Array {
    if (this.#figures.length === 0) this.#figures = new Int32Array(this.code.memory.buffer);
    return this.#figures;
  }

  /** Puts a line, or several, where the kernel can see it, until the next one comes. Returns its address. */
  placeLine(bytes: Buffer, start: number, end: number): number {
    const length = end - start;
    if (length >= this.#lineRoom) {
      this.#lineRoom = Math.max(length + 1, FIRST_LINE_ROOM);
      this.#line = this.code.allocate(this.#lineRoom);
    }
    const memory = this.bytes;
    bytes.copy(memory, this.#line, start, end);
    // Nothing of a longer line before must follow it.
    memory[this.#line + length] = 0;
    return this.#line;
  }

  /** Puts a text beside the line, until the next one comes. Returns its address. */
  placeText(bytes: Uint8Array): number {
    if (bytes.length > this.#textRoom) {
      this.#textRoom = Math.max(2 * bytes.length, FIRST_TEXT_ROOM);
      this.#text = this.code.allocate(this.#textRoom);
    }
    this.bytes.set(bytes, this.#text);
    return this.#text;
  }
}
