/* Numbers, quantities and times as text. */

const whole = new Intl.NumberFormat("en");
const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

/* An exact count, as in the ledger. */
export function count(value) {
  return value === null || value === undefined ? "unknown" : whole.format(value);
}

/* Three digits: 0, 0.25, 7.5, 120, 20.1 k. */
export function short(value) {
  if (!Number.isFinite(value))
    return "–";
  const size = Math.abs(value);
  for (const [step, letter] of steps)
    if (size >= step * 0.9995)
      return `${digits(value / step)} ${letter}`;
  return digits(value);
}

function digits(value) {
  const size = Math.abs(value);
  if (size >= 99.95 || Number.isInteger(value))
    return String(Math.round(value));
  return value.toFixed(size >= 9.995 ? 1 : 2).replace(/\.?0+$/, "");
}

export function percent(share) {
  if (!Number.isFinite(share))
    return "–";
  const value = share * 100;
  if (value !== 0 && Math.abs(value) < 0.1)
    return "< 0.1 %";
  return `${value < 9.95 ? digits(Math.round(value * 10) / 10) : Math.round(value)} %`;
}

/* A duration in nanoseconds, by its largest unit: 500 µs, 2.5 ms, 1 s. */
export function duration(nanoseconds) {
  if (nanoseconds >= 1e9)
    return `${digits(nanoseconds / 1e9)} s`;
  if (nanoseconds >= 1e6)
    return `${digits(nanoseconds / 1e6)} ms`;
  return `${digits(nanoseconds / 1e3)} µs`;
}

/* Bytes with a binary unit, as sizes are configured: 512 B, 3.1 GiB. */
export function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1024;
    at++;
  }
  return `${digits(value)} ${units[at]}`;
}

/* How long something has lasted, from seconds: 134 s, 12 min, 5 h, 3 d. */
export function lasting(seconds) {
  if (seconds < 300)
    return `${Math.floor(seconds)} s`;
  if (seconds < 7200)
    return `${Math.floor(seconds / 60)} min`;
  return seconds < 172800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86400)} d`;
}

/* A duration in seconds: 4 s, 12:03, 3:12:03, 2 d 3:12. */
export function uptime(seconds) {
  const two = (value) => String(value).padStart(2, "0");
  const all = Math.floor(seconds);
  const days = Math.floor(all / 86400);
  const hours = Math.floor(all / 3600) % 24;
  const minutes = Math.floor(all / 60) % 60;
  if (days > 0)
    return `${days} d ${hours}:${two(minutes)}`;
  if (hours > 0)
    return `${hours}:${two(minutes)}:${two(all % 60)}`;
  return minutes > 0 ? `${minutes}:${two(all % 60)}` : `${all} s`;
}

/* A time of day, from milliseconds since 1970. */
export function clock(milliseconds, withSeconds = true) {
  return new Date(milliseconds).toLocaleTimeString("en-GB",
    withSeconds ? {} : {hour: "2-digit", minute: "2-digit"});
}
