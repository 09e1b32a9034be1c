// Chunks past the cursor that have lost single messages take little memory. In everything else they behave
// like other chunks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/codec/rows/delivery_row.h"
#include "engine/core/lane_state.h"
#include "engine/core/seq_math.h"
#include "holdfast/limits.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kStart{std::chrono::hours(1000)};

std::string row_of(const ChunkState& chunk) {
  std::string row;
  encode_delivery_row(chunk, row);
  return row;
}

// A backlog that nobody has received. Each of its chunks has lost one message.
class PackedBacklog : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kChunks = 100;
  static constexpr std::uint32_t kMessages = limits::kChunkMessages;
  static constexpr std::uint32_t kBytes = 1000;
  static constexpr std::uint64_t kAll = kChunks * kMessages;

  PackedBacklog() {
    for (std::uint64_t i = 0; i < kChunks; ++i)
      state_.remove(first(i) + kMessages / 2, {.first = first(i), .count = kMessages, .sizes = sizes_});
    for (const Seq dirty : state_.close_group().dirty) {
      rows_.push_back(row_of(state_.chunk_for_row(dirty)));
      state_.pack(dirty);
    }
  }

  static Seq first(std::uint64_t chunk) { return Seq{1 + chunk * kMessages}; }
  // Returns the bytes that the state keeps for the messages of all chunks.
  static std::size_t memory(const LaneState& state) {
    std::size_t bytes = 0;
    for (std::uint64_t i = 0; i < kChunks; ++i) {
      const ChunkState& chunk = *state.window().stored_chunk(first(i));
      bytes += chunk.entries.capacity() * sizeof(Entry) + chunk.packed.capacity() * sizeof(std::uint32_t);
    }
    return bytes;
  }

  const std::vector<std::uint32_t> sizes_ = std::vector<std::uint32_t>(kMessages, kBytes);
  LaneState state_{Seq{1 + kAll}, Seq{1}, kAll, 0, kAll* kBytes};
  std::vector<std::string> rows_;
};

TEST_F(PackedBacklog, TakesFourBytesAMessage) {
  EXPECT_LE(memory(state_), kAll * 4);
  for (std::uint64_t i = 0; i < kChunks; ++i) {
    EXPECT_EQ(state_.log().peek(first(i)).value().state, MessageState::kReady);
    EXPECT_FALSE(state_.log().peek(first(i) + kMessages / 2));
    EXPECT_EQ(state_.log().check_free(first(i)), ReceiptCheck::kValid);
    EXPECT_EQ(state_.window().bytes_of(first(i)), kBytes);
  }
  state_.expire_message(first(0) + kMessages / 2, {});  // this message is gone
  EXPECT_LE(memory(state_), kAll * 4);
}

TEST_F(PackedBacklog, TakesNoMoreAfterARestart) {
  LaneState restored(Seq{1 + kAll}, Seq{1}, state_.states().tally().fresh(), 0,
                     state_.states().tally().bytes());
  for (std::uint64_t i = 0; i < kChunks; ++i)
    restored.restore_chunk(first(i), must(decode_delivery_row(rows_[i])));
  EXPECT_LE(memory(restored), kAll * 4);
  EXPECT_EQ(restored.states().tally().counts(), state_.states().tally().counts());
  EXPECT_EQ(restored.states().tally().ready_bytes(), state_.states().tally().ready_bytes());
}

TEST_F(PackedBacklog, SaysTheSameInItsRows) {
  for (std::uint64_t i = 0; i < kChunks; ++i) {
    ChunkState chunk = *state_.window().stored_chunk(first(i));
    chunk.unpack();
    EXPECT_EQ(row_of(chunk), rows_[i]);
  }
}

TEST_F(PackedBacklog, IsHandedOutInOrderWithoutWhatLeft) {
  state_.add_ahead(Seq{1}, {}, Seq{1 + kAll});  // the state knows the whole backlog
  ByteBudget any;
  const auto grants = state_.receive(kAll, {LeaseId{1}, kStart, nullptr}, any);
  ASSERT_EQ(grants.size(), kAll - kChunks);
  EXPECT_TRUE(
      std::ranges::is_sorted(grants, {}, [](const Grant& grant) { return grant.chunk + grant.index; }));
  EXPECT_EQ(state_.states().tally().counts(), (QueueCounts{.leased = kAll - kChunks}));
  EXPECT_EQ(state_.states().tally().ready_bytes(), 0U);
}

// Two states that go through the same transitions. One of them packs its chunks.
class Twins {
  static constexpr std::uint32_t kMessages = 8;
  static constexpr Seq kEnd{1 + 40 * kMessages};

  template <class Act>
  auto both(Act act) {
    auto result = act(packing_);
    EXPECT_EQ(result, act(plain_));
    return result;
  }

 public:
  explicit Twins(std::uint64_t seed) : random_(seed) {
    for (Seq seq{1}; seq < kEnd; seq = seq + 1) {
      const auto index = static_cast<std::uint32_t>((seq - Seq{1}) % kMessages);
      if (index == 0) spans_.push_back({.first = seq, .count = kMessages});
      const auto bytes = static_cast<std::uint32_t>(random_.between(0, 3));
      spans_.back().sizes.push_back(bytes);
      both([&](LaneState& state) {
        state.policy().max_deliveries = 3;
        return state.append(index == 0, false, {}, {}, false, bytes);
      });
    }
    close();
  }

  void step() {
    const Seq seq = any_seq();
    switch (random_.below(7)) {
      case 0:
        if (plain_.log().check_free(seq) == ReceiptCheck::kValid) remove(seq);
        break;
      case 1:
        both([&](LaneState& state) {
          state.expire_message(seq, span(seq));
          return true;
        });
        break;
      case 2:
        for (const MessageRef& ref : plain_.window().refs(plain_.states().due().exhausted(), seq, 3))
          remove(ref.seq());
        break;
      case 3:
        receive(random_.between(1, kMessages));
        break;
      case 4:
        settle();
        break;
      case 5:
        time_ += 1s;
        both([&](LaneState& state) { return state.expire(time_, 100); });
        break;
      default:
        close();
    }
    expect_alike(seq);
  }

 private:
  Seq any_seq() { return Seq{random_.between(1, kEnd - Seq{1})}; }
  const ChunkSpan& span(Seq seq) const { return spans_[(seq - Seq{1}) / kMessages]; }

  void remove(Seq seq) {
    both([&](LaneState& state) {
      state.remove(seq, span(seq));
      return true;
    });
  }

  void receive(std::size_t max) {
    const LeaseTerms terms{LeaseId{++last_lease_}, time_ + 5s, nullptr};
    const auto seqs = both([&](LaneState& state) {
      std::vector<std::pair<Seq, std::uint32_t>> result;
      ByteBudget any;
      for (const Grant& grant : state.receive(max, terms, any))
        result.emplace_back(grant.chunk + grant.index, grant.deliveries);
      return result;
    });
    for (const auto& [seq, deliveries] : seqs) held_.emplace_back(seq, terms.id);
  }

  void settle() {
    if (held_.empty()) return;
    const auto held = random_.pick(held_);
    std::erase(held_, held);
    const Seq seq = held.first;
    const ReceiptCheck check = both([&](LaneState& state) { return state.window().check(seq, held.second); });
    if (check != ReceiptCheck::kValid) return;
    const bool acks = random_.one_in(2);
    both([&](LaneState& state) {
      if (!acks) return state.release(seq, {}, time_);
      state.ack(seq, time_);
      return false;
    });
  }

  void close() {
    both([&](LaneState& state) {
      std::vector<std::string> rows;
      for (const Seq dirty : state.close_group().dirty) {
        rows.push_back(row_of(state.chunk_for_row(dirty)));
        if (&state == &packing_) state.pack(dirty);
      }
      return rows;
    });
  }

  void expect_alike(Seq seq) {
    EXPECT_TRUE(packing_.states().is_consistent());
    EXPECT_TRUE(plain_.states().is_consistent());
    both([&](const LaneState& state) {
      const auto status = state.log().peek(seq);
      const bool there = status.has_value();
      return std::tuple(state.states().tally().counts(), state.states().tally().bytes(),
                        state.states().tally().ready_bytes(), state.states().tally().leaving_bytes(),
                        state.log().cursor(), state.states().sparse().size(), state.log().check_free(seq),
                        there, there ? status->state : MessageState{}, there ? status->deliveries : 0,
                        there ? state.window().bytes_of(seq) : 0, state.states().first_leased());
    });
  }

  Random random_;
  LaneState packing_;
  LaneState plain_;
  std::vector<ChunkSpan> spans_;
  std::vector<std::pair<Seq, LeaseId>> held_;
  std::uint64_t last_lease_ = 0;
  Timestamp time_ = kStart;
};

class PackedTwins : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(PackedTwins, GoTheSameWay) {
  Twins twins(GetParam());
  for (int i = 0; i < 1000 && !HasFailure(); ++i) twins.step();
}

INSTANTIATE_TEST_SUITE_P(Seeds, PackedTwins, ::testing::Range<std::uint64_t>(1, 31));

}  // namespace
}  // namespace holdfast::testing
