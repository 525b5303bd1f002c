/** `4915112345678@s.whatsapp.net`, perhaps with the number of a device. */
const ACCOUNT = /^(\d{5,20})(?::\d+)?@s\.whatsapp\.net$/;
/** `+49 (151) 123-456`, or digits alone. */
const WRITTEN = /^(?:\+[\d\s().-]*\d|\d+)$/;

/** A phone number as `+` and digits, however it is written. Any other id of WhatsApp is exact, and stays as it is. */
export function normalizePhone(id: string): string {
  const written = ACCOUNT.exec(id)?.[1] ?? WRITTEN.exec(id)?.[0];
  return written === undefined ? id : `+${written.replace(/\D/g, '')}`;
}
