// Which columns of a picture a day is named below.
const DAY_WIDTH = 66; // of what names a day

// Where a day begins, as far as there is room until the next one; `step` is the width of a column. The last day has its
// name in any case, moved to the left where it begins at the end.
export function day_marks(days: readonly (string | undefined)[], step: number): { at: number; x: number }[] {
  const marks: { at: number; x: number }[] = [];
  let end = days.length * step;
  for (let at = days.length - 1; at >= 0; --at) {
    if (days[at] === undefined || days[at] === days[at - 1]) continue;
    const x = marks.length === 0 ? Math.max(0, Math.min(at * step, end - DAY_WIDTH)) : at * step;
    if (marks.length > 0 && end - x < DAY_WIDTH) continue;
    marks.unshift({ at, x });
    end = x;
  }
  return marks;
}
