// A Pager reads only the part of a long list that is in sight: from the start, from the end, or from a place between.
import { Run, type Key, type Read } from './run';

const PAGE = 200;
const STEP = 1000; // the most items that one call returns
const NEAR = 2 * STEP; // a place that is not farther from a part that was read is reached by reading on

// A place between two items of the list, and how to read on from there in both directions.
export interface Between<T> {
  index: number; // the index of the first item after the place
  after: Read<T>;
  before: Read<T>; // reads backwards
}

export interface Source<T> {
  key: Key<T>;
  forwards: Read<T>;
  // Reads in the reverse order, if the source can. The list can then be entered at its end and in the middle.
  backwards?: Read<T>;
  // Finds a place near `index` in a list of this length with these first and last items.
  find?: (index: number, length: number, ends: [T, T], signal: AbortSignal) => Promise<Between<T>>;
}

// Reads one page at a time for the part that is in sight. Places that are counted from the end or from the middle are
// only as exact as the total. Somebody who scrolls on from the start misses nothing.
export class Pager<T> {
  private readonly front: Run<T>;
  private back: Run<T> | undefined;
  private between: Run<T>[] = [];
  private found_for: number | undefined; // the place that `between` was looked up for
  private expected: number | undefined;
  private exact: number | undefined;
  private sight: [first: number, last: number] = [0, 0];
  private busy = false;
  private readonly control = new AbortController();
  error: unknown = undefined;

  constructor(
    private readonly source: Source<T>,
    private readonly changed: () => void,
  ) {
    this.front = new Run(source.forwards, source.key, 0, 1);
  }

  stop(): void {
    this.control.abort();
  }
  // Takes a new total. Places that are counted from the end stay where they are while letters arrive. If the total has
  // become smaller, that part is counted and read again.
  expect(total: number | undefined): void {
    const are_fewer = total !== undefined && this.expected !== undefined && total < this.expected;
    if (this.back && are_fewer) {
      this.back = undefined;
      this.between = [];
      this.found_for = undefined;
    }
    if (this.back === undefined) this.expected = total;
  }
  get length(): number {
    return this.exact ?? Math.max(this.expected ?? 0, this.front.known);
  }
  // Returns whether the length of the list is known.
  get is_whole(): boolean {
    return this.exact !== undefined || this.expected !== undefined;
  }
  get started(): boolean {
    return this.front.known > 0 || this.front.complete;
  }

  at(index: number): T | undefined {
    return this.run_of(index)?.at(index);
  }
  // Finds the place of an item, if the item is kept.
  place_of(is_it: (item: T) => boolean): number | undefined {
    for (const run of this.runs) {
      const place = run.place_of(is_it);
      if (place !== undefined) return place;
    }
    return undefined;
  }
  all(): T[] {
    return this.runs.flatMap((run) => run.all());
  }
  // Puts the new state of the items into their places. The list neither grows nor moves.
  renew(first: number, last: number, become: (item: T) => T): void {
    for (let i = first; i <= last; ++i) this.run_of(i)?.renew(i, become);
    this.changed();
  }

  // Reads the items of this range that are missing, as far as the list goes.
  async show(first: number, last: number): Promise<void> {
    this.sight = [first, last];
    if (this.busy) return;
    this.busy = true;
    try {
      for (let work = this.work(); work !== undefined; work = this.work()) {
        await work();
        if (this.control.signal.aborted) return;
        this.error = undefined;
        this.settle();
        this.changed();
      }
    } catch (failure) {
      if (this.control.signal.aborted) return;
      this.error = failure;
      this.changed();
    } finally {
      this.busy = false;
    }
  }

  private get runs(): Run<T>[] {
    return [this.front, ...this.between, ...(this.back ? [this.back] : [])];
  }
  private run_of(index: number): Run<T> | undefined {
    return this.runs.find((run) => run.covers(index));
  }

  // Returns the next read that the part in sight needs.
  private work(): (() => Promise<void>) | undefined {
    const signal = this.control.signal;
    if (!this.started) return () => this.front.extend(PAGE, signal);
    const first = Math.min(this.sight[0], this.length - 1);
    const last = Math.min(this.sight[1], this.length - 1);
    for (const run of this.runs) run.forget_far(first, last);
    for (let i = Math.max(first, 0); i <= last; ++i) {
      const run = this.run_of(i);
      if (!run) return this.reach(i);
      if (run.is_forgotten(i)) return () => run.refill(i, signal);
    }
    const ahead = [this.run_of(first), this.run_of(last)].find((run) => run && this.is_near_end(run, first, last));
    return ahead && (() => ahead.extend(PAGE, signal));
  }

  // Returns whether the part in sight is close to the end of a run, and no other run goes on from there.
  private is_near_end(run: Run<T>, first: number, last: number): boolean {
    if (run.complete) return false;
    if (run.step > 0) return last + PAGE / 2 >= run.to;
    return first - PAGE / 2 < run.from && run.from > 0 && !this.run_of(run.from - 1);
  }

  // Returns a read that leads towards a place that no run covers.
  private reach(index: number): (() => Promise<void>) | undefined {
    const signal = this.control.signal;
    const far = (run: Run<T>) => (run.step > 0 ? index - run.to : run.from - 1 - index);
    const [nearest] = this.runs.filter((run) => !run.complete && far(run) >= 0).sort((a, b) => far(a) - far(b));
    const read_on = () => nearest.extend(far(nearest) < PAGE ? PAGE : STEP, signal);
    const { backwards, find } = this.source;
    const can_jump = backwards !== undefined && this.expected !== undefined && this.found_for !== index;
    if (nearest && (!can_jump || far(nearest) < NEAR)) return read_on;
    if (backwards && !this.back) {
      const back = new Run(backwards, this.source.key, this.length - 1, -1);
      this.back = back;
      return () => back.extend(PAGE, signal);
    }
    const ends = [this.front.at(0), this.back?.at(this.back.base)];
    if (can_jump && find && ends.every((end) => end !== undefined)) return () => this.jump(index, ends as [T, T]);
    return nearest && read_on;
  }

  private async jump(index: number, ends: [T, T]): Promise<void> {
    const place = await this.source.find!(index, this.length, ends, this.control.signal);
    this.found_for = index;
    const { key } = this.source;
    this.between = [new Run(place.after, key, place.index, 1), new Run(place.before, key, place.index - 1, -1)];
  }

  // A run that was read without a gap replaces the runs that it reaches. A complete run knows where the list ends.
  private settle(): void {
    for (const run of this.runs.filter((one) => one.step > 0)) {
      const is_passed = (other: Run<T>) =>
        other !== run && other.known > 0 && other.from < run.to && other.from >= run.from;
      this.between = this.between.filter((other) => !is_passed(other));
      if (this.back && is_passed(this.back)) this.back = undefined;
      if (!run.complete || !this.runs.includes(run)) continue;
      this.exact = run.to;
      this.between = run === this.front ? [] : this.between;
      this.back = undefined;
      if (run === this.front) return;
    }
  }
}
