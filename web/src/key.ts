/** The page's credential in a link's hash, which browsers never send. */
export function keyIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get("key");
}

/** The credential if it has the right form, or nothing. */
export function validKey(key: string | null): string | null {
  return key !== null && /^[0-9a-f]{64}$/.test(key) ? key : null;
}
