// Chooses the columns of a chart that get a date label.
const DAY_WIDTH = 66; // the width of a date label

// Marks the first column of each day, as far as there is room for its label before the next label or the end. `step` is
// the width of a column. A label that does not fit is left out, since it would stand below columns of another day.
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
