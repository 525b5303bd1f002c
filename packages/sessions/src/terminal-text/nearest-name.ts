/** The name that was most likely meant; undefined when none is near. */
export function findNearest(
  given: string,
  names: readonly string[],
  // Of three letters, two others are another word.
  most = given.length < 4 ? 1 : Math.max(2, Math.floor(given.length / 3)),
): string | undefined {
  const wanted = given.toLowerCase();
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const name of names) {
    const distance = distanceOf(wanted, name);
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return bestDistance < wanted.length ? best : undefined;
}

function distanceOf(wanted: string, name: string): number {
  if (name.toLowerCase().startsWith(wanted) && wanted.length > 1) return 1;
  const distance = editDistance(wanted, name);
  // `thinking` for `think`.
  return name.length > 3 && wanted.startsWith(name.toLowerCase()) ? Math.min(2, distance) : distance;
}

/** Letters to insert, delete or replace; two neighbours exchanged count as one. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let distance = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        distance = Math.min(distance, beforePrevious[j - 2]! + 1);
      }
      current.push(distance);
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[to.length]!;
}
