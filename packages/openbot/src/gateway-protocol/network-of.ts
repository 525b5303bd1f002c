import { isIP } from 'node:net';

/** What limits are counted for: an address, or of IPv6 the /64 that one client has as a whole. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const rest = tail.split(':').filter(Boolean);
  const zeros = address.includes('::') ? Array(8 - groups.length - rest.length).fill('0') : [];
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
