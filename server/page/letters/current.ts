// One letter of a list is the current one. The page remembers its id, since its place may have another letter later:
// a list that starts with the newest grows at its start, and a list closes up where letters are discarded.

export interface Current {
  index: number;
  id?: string; // undefined until the letter at that place is read
}

// A Listing is the part of a pager that is needed here.
interface Listing {
  length: number;
  is_whole: boolean; // whether the length of the list is known
  at(index: number): { id?: string } | undefined;
  place_of(is_it: (letter: { id?: string }) => boolean): number | undefined;
}

// The letter is searched for this far around its old place when somebody returns to the list.
export const AROUND = 500;

// Finds where the letter is now. As long as that is not known, the result has the old place and no id, so that nothing
// is done to the letter that is there instead. If the letter is not found within `around` of its old place, the letter
// at that place becomes the current one.
export function standing_of(list: Listing, { index, id }: Current, around: number): Current {
  const place = Math.min(index, Math.max(0, list.length - 1));
  const there = list.at(place)?.id;
  if (id !== undefined && there !== id) {
    const found = list.place_of((letter) => letter.id === id);
    if (found !== undefined) return { index: found, id };
  }
  return { index: place, id: there === id || is_read(list, index, around) ? there : undefined };
}

function is_read(list: Listing, index: number, around: number): boolean {
  if (!list.is_whole && list.at(index + around) === undefined) return false;
  const last = Math.min(index + around, list.length - 1);
  for (let i = Math.max(0, Math.min(index - around, last)); i <= last; ++i) if (list.at(i) === undefined) return false;
  return true;
}
