// A row of `deliveries` has the state of one chunk's messages, as runs of messages in the same state.
// Messages that are handed out together stay alike, so a row usually has one or two runs.
//
//   row = kind:u8 count:varint run* size*      (the runs cover `count` messages; the kind is the chunk's)
//   run = length:varint state:u8 [details]
//   state    a number of EntryState; or 6: fresh, but delivered before at another place
//   details (unless fresh or done) =
//         deliveries:varint lease:u64 due:u64 flags:u8
//         (flags bit 3: prefetched, not charged yet; bit 4: expired while leased; bit 5: exhausted to make
//         room; bit 6: waiting to go to the tail)
//         [first_failed_at:u64 last_failed_at:u64]           if flags bit 0
//         [instance:bytes version:bytes]                     if flags bit 1
//         [attempts]                                         if flags bit 2: see attempts.h
//         [held_ms:varint extended:u8 described:varint home:varint renewal:varint]
//                                                            if flags bit 7: the length of the lease up to
//                                                            due, the descriptions of failures
//                                                            (core/attempts.h), and how many milliseconds
//                                                            start() makes the lease
//   size = length:varint bytes:varint          runs, over the messages that are not done, of equal bytes of
//                                              body and attributes
#pragma once

#include <string>
#include <string_view>

#include "engine/core/chunk_state.h"
#include "holdfast/error.h"

namespace holdfast {

void encode_delivery_row(const ChunkState& chunk, std::string& out);

// Returns the chunk as the row has it, with its counts. It is not open and not dirty, and its row_puts is
// kMany, since nobody knows how often an earlier process put the row. kCorruption if the row does not decode.
Result<ChunkState> decode_delivery_row(std::string_view row);

}  // namespace holdfast
