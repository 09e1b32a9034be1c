// The end of an axis of counts: one, two, four or five and noughts, of which half is whole too.
export function axis_end(most: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 4, 5, 10].map((one) => one * size).find((one) => one >= most && one % 2 === 0)!;
}
