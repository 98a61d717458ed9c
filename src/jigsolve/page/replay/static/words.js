// Numbers and stages in words.

export const STAGES = {
  pairs: "Measuring all pairs",
  compatibility: "Weighing joints",
  layout: "Laying out",
  search: "Searching for better",
  reference: "Looking at the reference",
  confidence: "Weighing the answer",
};

export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}

// Never certain: 99.97 % is shown as "over 99 %".
export function percent(chance) {
  if (chance === null || chance === undefined || Number.isNaN(chance)) return "unknown";
  if (chance >= 0.99) return "over 99 %";
  return chance < 0.01 ? "under 1 %" : `${Math.floor(100 * chance)} %`;
}

export function count(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}
