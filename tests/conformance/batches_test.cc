// These tests check what every batch call answers for the whole call, and what for each entry.
#include <functional>
#include <map>

#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

using Batch = std::vector<Receipt>;
using Settling = std::function<BatchResult<void>(const Batch&)>;

class Batches : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 1h, .dead_letters = {.queue = "dlq"}});
    send_numbered("orders", 3);
    batch_ = receipts(receive("orders", 3));
  }

  std::map<std::string, Settling> settling() {
    return {{"ack", [&](const Batch& batch) { return broker().ack_batch(batch); }},
            {"extend", [&](const Batch& batch) { return broker().extend_batch(batch, 1h); }},
            {"start", [&](const Batch& batch) { return broker().start_batch(batch); }},
            {"release", [&](const Batch& batch) { return broker().release_batch(batch); }},
            {"reject", [&](const Batch& batch) { return broker().reject_batch(batch, {}); }}};
  }

  void expect_untouched() { EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 3})); }

  Batch batch_;
};
HOLDFAST_FOR_EACH_BROKER(Batches);

TEST_P(Batches, AreRefusedAsAWholeWithTooManyEntries) {
  const Batch many(limits::kBatchEntries + 1, batch_.front());
  for (const auto& [verb, settle] : settling()) {
    EXPECT_THAT(settle(many), FailsNaming(ErrorCode::kLimitExceeded, "receipts")) << verb;
  }
  EXPECT_THAT(broker().send_batch("orders", std::vector<Message>(limits::kBatchEntries + 1)),
              FailsNaming(ErrorCode::kLimitExceeded, "messages"));
  expect_untouched();
}

TEST_P(Batches, AreRefusedAsAWholeForBadOptions) {
  const std::string too_long(limits::kRequestIdBytes + 1, 'x');
  EXPECT_THAT(broker().send_batch("orders", {{}}, {.request_id = too_long}), RefusesValue("request_id"));
  EXPECT_THAT(broker().ack_batch(batch_, {.request_id = too_long}), RefusesValue("request_id"));
  EXPECT_THAT(broker().reject_batch(batch_, {}, {.request_id = too_long}), RefusesValue("request_id"));
  EXPECT_THAT(broker().ack_batch(batch_, {.actor = std::string(1 << 20, 'x')}), RefusesValue("actor"));
  EXPECT_THAT(broker().extend_batch(batch_, Duration(-1s)), RefusesValue("lease"));
  EXPECT_THAT(broker().release_batch(batch_, {.delay = Duration(-1s)}), RefusesValue("delay"));
  const Rejection too_wordy{.category = std::string(limits::kCategoryBytes + 1, 'c')};
  EXPECT_THAT(broker().reject_batch(batch_, too_wordy), RefusesValue("category"));
  expect_untouched();
}

TEST_P(Batches, AreRefusedAsAWholeUnderTheRequestIdOfAnother) {
  create("others");
  must(broker().send_batch("others", {{.body = "x"}}, {.request_id = "used"}));
  const auto refused = FailsNaming(ErrorCode::kInvalidArgument, "the request_id was used");
  EXPECT_THAT(broker().send_batch("others", {{.body = "y"}}, {.request_id = "used"}), refused);
  EXPECT_THAT(broker().ack_batch(batch_, {.request_id = "used"}), refused);
  EXPECT_THAT(broker().reject_batch(batch_, {}, {.request_id = "used"}), refused);
  EXPECT_EQ(counts("others"), (QueueCounts{.ready = 1}));
  expect_untouched();
}

TEST_P(Batches, AnswerEachEntryWhereOneAloneIsBad) {
  const Receipt unknown{.queue = QueueId{999'999}, .seq = Seq{1}, .lease = LeaseId{1}};
  const auto gone = FailsWith(ErrorCode::kMessageNotFound);
  for (const auto& [verb, settle] : settling()) {
    send("orders", "one more");
    const Batch mixed{receive_one("orders").receipt, unknown};
    EXPECT_THAT(must(settle(mixed)), ElementsAre(Succeeds(), gone)) << verb;
    EXPECT_THAT(must(settle({unknown})), ElementsAre(gone)) << verb;
    EXPECT_THAT(must(settle({})), ElementsAre()) << verb;
    (void)broker().ack(mixed.front());
  }
  EXPECT_THAT(must(broker().send_batch("orders", {{.body = "good"}, {.attributes = {{"", "no name"}}}})),
              ElementsAre(Succeeds(), FailsWith(ErrorCode::kInvalidArgument)));
}

TEST_P(Batches, OfSendsAreRefusedAsAWholeWhereThereIsNoQueue) {
  EXPECT_THAT(broker().send_batch("nowhere", {{.body = "x"}}), FailsWith(ErrorCode::kQueueNotFound));
}

}  // namespace
}  // namespace holdfast::testing
