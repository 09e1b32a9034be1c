// Checks that the index of dead letters agrees with their records.
#pragma once

#include <map>
#include <string>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/encoding/keys.h"
#include "engine/storage/store.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {

using IndexRows = std::map<std::string, std::string>;

// Returns the rows that `dead_letter_index` must have for the records.
inline IndexRows expected_index(const Store& store) {
  IndexRows expected;
  std::map<std::string, IndexCount> counts;
  for (const bool history : {false, true}) {
    const auto scan = store.scan(record_family(history), {}, std::string(32, '\xff'));
    for (; scan->valid(); scan->next()) {
      const auto record = keys::parse_dead_letter(scan->key());
      if (!record) continue;  // it lies beside the records, and is none
      EXPECT_EQ(record->history, history);
      const QueueId queue = keys::parse_queue_seq(scan->key()).value().queue;
      for (const auto& [posting, count] :
           index_entries(queue, *record, must(decode_dead_letter_row(scan->value())))) {
        if (!posting.empty()) expected.emplace(posting, "");
        if (!count.empty()) ++(history ? counts[count].history : counts[count].here);
      }
    }
    must(scan->status());
  }
  for (const auto& [key, count] : counts) expected.emplace(key, encode_index_count(count));
  return expected;
}

// Returns the stored rows. A posting counts as one row for each record that it names.
inline IndexRows stored_index(const Store& store) {
  IndexRows rows;
  for (const Family family : {Family::kDeadLetterIndex, Family::kDeadLetterIds}) {
    const auto scan = store.scan(family, {}, std::string(32, '\xff'));
    for (; scan->valid(); scan->next()) {
      constexpr std::size_t kKindAt = 8;
      EXPECT_EQ(keys::is_id_row(scan->key()), family == Family::kDeadLetterIds);
      if ((scan->key()[kKindAt] & 0x80) != 0) {
        rows.emplace(scan->key(), scan->value());
        continue;
      }
      for (const Seq seq : must(decode_posting(scan->key(), scan->value()))) {
        const bool new_one = rows.emplace(keys::posting_in(keys::posting_group(scan->key()), seq), "").second;
        EXPECT_TRUE(new_one) << "two postings name seq " << static_cast<std::uint64_t>(seq);
      }
    }
    must(scan->status());
  }
  return rows;
}

}  // namespace holdfast::testing
