/** Memory is handed out from the bottom up and never given back: a caller that is done drops the whole instance. */
let top: usize = __heap_base;

/** A string is read in blocks of 64 bytes, and its escapes with what follows: so far may be looked beyond its end. */
const BEYOND: usize = 128;

/** Zeroed, on a multiple of 16. */
export function allocate(size: usize): usize {
  const at = (top + 15) & ~15;
  top = at + size;
  const missing = <i32>((top + BEYOND + 0xffff) >>> 16) - memory.size();
  // A quarter more, lest a large table grows page by page.
  if (missing > 0 && memory.grow(max(missing, memory.size() >>> 2)) < 0 && memory.grow(missing) < 0)
    unreachable();
  return at;
}
