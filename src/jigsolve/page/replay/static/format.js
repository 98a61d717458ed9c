// Numbers and stages as text.

export const STAGE_NAMES = {
  pairs: "Comparing all pieces",
  compatibility: "Weighing joints",
  pictures: "Telling pictures apart",
  layout: "Laying out",
  search: "Improving the layout",
  fragments: "Putting fragments together",
  reference: "Looking at the reference",
  confidence: "Weighing the answer",
};

export function formatDuration(seconds) {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}

// Never certain: 99.97 % becomes "over 99 %".
export function formatPercent(probability) {
  if (probability === null || probability === undefined || Number.isNaN(probability)) return "unknown";
  if (probability >= 0.99) return "over 99 %";
  return probability < 0.01 ? "under 1 %" : `${Math.floor(100 * probability)} %`;
}

export function formatCount(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
