// Which columns of a picture a day is named below.
const DAY_WIDTH = 66; // of what names a day

// Where a day begins, as far as there is room for its name until the next one that is named, or until the end; `step` is
// the width of a column. A name that does not fit is left out: it would stand below the columns of the day before.
export function day_marks(days: readonly (string | undefined)[], step: number): { at: number; x: number }[] {
  const marks: { at: number; x: number }[] = [];
  let end = days.length * step;
  for (let at = days.length - 1; at >= 0; --at) {
    if (days[at] === undefined || days[at] === days[at - 1]) continue;
    const x = at * step;
    if (end - x < DAY_WIDTH) continue;
    marks.unshift({ at, x });
    end = x;
  }
  return marks;
}
