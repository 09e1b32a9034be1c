// Which letter of a list is the current one. It is held by its id: a list that begins with the newest grows at its
// beginning, and closes up where letters are discarded, so that a place of it has another letter later.

export interface Current {
  index: number;
  id?: string; // none until the letter at that place is read
}

// What a pager has of a list.
interface Listing {
  length: number;
  is_whole: boolean; // whether its length is known
  at(index: number): { id?: string } | undefined;
  place_of(is_it: (letter: { id?: string }) => boolean): number | undefined;
}

// How far around its old place a letter is looked for by somebody who comes back to the list.
export const AROUND = 500;

// Where the letter is now. Its place is its old one while it is not known where it is (there is no id then: nothing may be
// done to what stands there instead), and where it is not found within `around` of that, which has the letter that is there.
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
