// A Run is a part of a long list that was read in one go, page after page, from one place of the list in one direction.

interface PageOf<T> {
  items: T[];
  next?: string | null;
}

// Identifies an item in its list, even after it was read again.
export type Key<T> = (item: T) => string;

export type Read<T> = (start: string | null, max: number, signal: AbortSignal) => Promise<PageOf<T>>;

interface Slot<T> {
  start: string | null;
  first: number; // how many items of the run come before this slot
  count: number;
  items: T[] | null; // null: forgotten, to be read again from `start`
  keys: string[]; // the keys of its items, even if the items are forgotten
}

const KEPT = 1200; // how many items are kept before and after those in sight

// A run keeps only the cursors of items that are far from the part in sight.
export class Run<T> {
  private slots: Slot<T>[] = [];
  private next: string | null | undefined = null; // undefined: everything was read

  // `base` is the place of the first item in the list. `step` says whether the next items come below or above it.
  constructor(
    private readonly read: Read<T>,
    private readonly key: Key<T>,
    readonly base: number,
    readonly step: 1 | -1,
  ) {}

  get known(): number {
    const last = this.slots.at(-1);
    return last ? last.first + last.count : 0;
  }
  get complete(): boolean {
    return this.next === undefined;
  }
  // The run covers the places of the list from `from` up to but not including `to`.
  get from(): number {
    return this.step > 0 ? this.base : this.base - this.known + 1;
  }
  get to(): number {
    return this.step > 0 ? this.base + this.known : this.base + 1;
  }
  covers(index: number): boolean {
    return index >= this.from && index < this.to;
  }

  at(index: number): T | undefined {
    const slot = this.slot_at(index);
    return slot?.items?.[this.inside(index) - slot.first];
  }
  // Finds the place of an item, if the item is kept.
  place_of(is_it: (item: T) => boolean): number | undefined {
    for (const slot of this.slots) {
      const at = slot.items?.findIndex(is_it) ?? -1;
      if (at >= 0) return this.base + this.step * (slot.first + at);
    }
    return undefined;
  }
  all(): T[] {
    return this.slots.flatMap((slot) => slot.items ?? []);
  }
  renew(index: number, become: (item: T) => T): void {
    const slot = this.slot_at(index);
    const at = this.inside(index) - (slot?.first ?? 0);
    const item = slot?.items?.[at];
    if (item !== undefined) slot!.items![at] = become(item);
  }

  // Reads the next page at the end of the run.
  async extend(max: number, signal: AbortSignal): Promise<void> {
    let start = this.next as string | null;
    let page = await this.read(start, max, signal);
    // A call looks at a limited number of records, so it may find nothing and say that there is more.
    while (page.items.length === 0 && page.next) {
      start = page.next;
      page = await this.read(start, max, signal);
    }
    const count = page.items.length;
    const keys = page.items.map(this.key);
    if (count > 0) this.slots.push({ start, first: this.known, count, items: page.items, keys });
    this.next = page.next ?? undefined;
  }

  // Reads the forgotten items of a slot again. If some of them have left the list, items of the next slot come in their
  // place. Those are dropped, since the next slot has them, and the slots that follow move up.
  async refill(index: number, signal: AbortSignal): Promise<void> {
    const slot = this.slot_at(index)!;
    const read: T[] = [];
    let from: string | null | undefined = slot.start;
    // A call that reaches its limit of records returns fewer items, and says that there is more.
    do {
      const page: PageOf<T> = await this.read(from, slot.count - read.length, signal);
      read.push(...page.items);
      from = page.next;
    } while (from && read.length < slot.count);
    const own = new Set(slot.keys);
    this.put(
      slot,
      read.filter((item) => own.has(this.key(item))),
    );
  }
  is_forgotten(index: number): boolean {
    return this.slot_at(index)?.items === null;
  }

  // The first page is never forgotten. If it were read again, a list that starts with the newest would start with
  // others.
  forget_far(first: number, last: number): void {
    const [low, high] = [this.inside(first), this.inside(last)].sort((a, b) => a - b);
    for (const slot of this.slots.slice(1))
      if (slot.first + slot.count < low - KEPT || slot.first > high + KEPT) slot.items = null;
  }

  private put(slot: Slot<T>, items: T[]): void {
    slot.items = items;
    slot.keys = items.map(this.key);
    slot.count = items.length;
    this.slots = this.slots.filter((one) => one.count > 0);
    let first = 0;
    for (const one of this.slots) {
      one.first = first;
      first += one.count;
    }
  }
  private inside(index: number): number {
    return (index - this.base) * this.step;
  }
  private slot_at(index: number): Slot<T> | undefined {
    if (!this.covers(index)) return undefined;
    const inside = this.inside(index);
    let [low, high] = [0, this.slots.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.slots[middle].first <= inside) low = middle;
      else high = middle - 1;
    }
    return this.slots[low];
  }
}
