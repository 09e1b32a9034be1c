// The end of an axis of counts: 1, 2, 4 or 5 with zeros behind it, half of which is a whole number too.
export function axis_end(most: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 4, 5, 10].map((one) => one * size).find((one) => one >= most && one % 2 === 0)!;
}
