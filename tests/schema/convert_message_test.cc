// Conversions of sends, receives and settlements: random values come through the wire, and malformed messages
// are answered.
#include <gmock/gmock.h>

#include "holdfast/limits.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/messages/send_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/values/value.h"
#include "tests/client/random_values.h"
#include "tests/client/wire_message.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using ::testing::IsEmpty;

class ConvertMessage : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  Random random_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Seeds, ConvertMessage, ::testing::Range<std::uint64_t>(1, kConversionSeeds));

TEST_P(ConvertMessage, SendRequestComesThrough) {
  std::vector<Message> messages(random_.below(20));
  for (auto& message : messages) message = random_message(random_);
  const SendOptions options{.durability = random_choice(random_)};
  const auto queue = random_text(random_);

  WireMessage<wire::SendRequest> wire([&](auto to) { convert::write(queue, messages, options, to); });
  const auto call = must(convert::read(wire.get()));

  EXPECT_EQ(call.queue, queue);
  EXPECT_EQ(call.options.durability, options.durability);
  ASSERT_EQ(call.messages.size(), messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(call.messages[i].body, messages[i].body);
    EXPECT_EQ(call.messages[i].attributes, messages[i].attributes);
    EXPECT_EQ(call.messages[i].delay, messages[i].delay);
    EXPECT_EQ(call.messages[i].visible_at, messages[i].visible_at);
    EXPECT_EQ(call.messages[i].group, messages[i].group);
    EXPECT_EQ(call.messages[i].deduplication_id, messages[i].deduplication_id);
    EXPECT_EQ(call.messages[i].priority, messages[i].priority);
    EXPECT_EQ(call.messages[i].time_to_live, messages[i].time_to_live);
  }
}

TEST_P(ConvertMessage, SendReplyComesThroughPerEntry) {
  const auto durability = random_durability(random_);
  std::vector<Result<Sent>> results(random_.below(20));
  for (auto& result : results) {
    result = Sent{.id = random_id(random_), .durability = durability, .duplicate = random_.one_in(3)};
    if (random_.one_in(3)) result = tl::unexpected(random_error(random_));
  }

  WireMessage<wire::SendReply> wire([&](auto to) { convert::write(BatchResult<Sent>(results), to); });
  const auto read = must(convert::read(wire.get(), results.size()));

  ASSERT_EQ(read.size(), results.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    ASSERT_EQ(read[i].has_value(), results[i].has_value());
    if (!read[i]) {
      EXPECT_EQ(read[i].error(), results[i].error());
    } else {
      EXPECT_EQ(read[i]->id, results[i]->id);
      EXPECT_EQ(read[i]->durability, durability);
      EXPECT_EQ(read[i]->duplicate, results[i]->duplicate);
    }
  }
}

TEST_P(ConvertMessage, ReceiveRequestComesThrough) {
  ReceiveOptions options{.max = random_.between(0, limits::kReceiveMax),
                         .wait = random_duration(random_),
                         .consumer = random_consumer(random_)};
  if (random_.one_in(2)) options.lease = random_duration(random_);

  WireMessage<wire::ReceiveRequest> wire([&](auto to) { convert::write("orders", options, to); });
  const auto call = must(convert::read(wire.get()));

  EXPECT_EQ(call.queue, "orders");
  EXPECT_EQ(call.options.max, options.max);
  EXPECT_EQ(call.options.lease, options.lease);
  EXPECT_EQ(call.options.wait, options.wait);
  EXPECT_EQ(call.options.consumer, options.consumer);
}

TEST_P(ConvertMessage, DeliveriesComeThroughWithBodiesInTheMessage) {
  const auto body = random_text(random_);
  const Delivery sent{.receipt = random_receipt(random_),
                      .id = random_id(random_),
                      .body = body,
                      .attributes = random_attributes(random_),
                      .group = random_text(random_),
                      .priority = static_cast<std::uint32_t>(random_.below(16)),
                      .sent_at = random_time(random_),
                      .lease_expires_at = random_time(random_),
                      .lease_left = Duration(random_.below(1'000'000'000)),
                      .deliveries = static_cast<std::uint32_t>(random_.below(UINT32_MAX)),
                      .replays = static_cast<std::uint32_t>(random_.below(UINT32_MAX)),
                      .storage = nullptr};

  WireMessage<wire::ReceiveReply> wire([&](auto to) { convert::write(Deliveries{sent}, to); });
  const auto storage = std::make_shared<int>();
  const auto received = must(convert::read(wire.get(), storage));

  ASSERT_EQ(received.size(), 1U);
  const auto& delivery = received.front();
  EXPECT_EQ(delivery.receipt, sent.receipt);
  EXPECT_EQ(delivery.id, sent.id);
  EXPECT_EQ(delivery.body, sent.body);
  EXPECT_EQ(delivery.attributes, sent.attributes);
  EXPECT_EQ(delivery.group, sent.group);
  EXPECT_EQ(delivery.priority, sent.priority);
  EXPECT_EQ(delivery.sent_at, sent.sent_at);
  EXPECT_EQ(delivery.lease_expires_at, sent.lease_expires_at);
  EXPECT_EQ(delivery.lease_left, sent.lease_left);
  EXPECT_EQ(delivery.deliveries, sent.deliveries);
  EXPECT_EQ(delivery.replays, sent.replays);
  EXPECT_EQ(delivery.storage, storage);
}

TEST_P(ConvertMessage, SettleRequestsComeThrough) {
  std::vector<Receipt> receipts(random_.below(20));
  for (auto& receipt : receipts) receipt = random_receipt(random_);
  const SettleOptions options{.durability = random_choice(random_)};
  ReleaseOptions release{.charge = random_.one_in(2)};
  if (random_.one_in(2)) release.delay = random_duration(random_);
  if (random_.one_in(2)) release.failure = random_rejection(random_);
  if (random_.one_in(2)) release.to = random_.one_in(2) ? ReturnTo::kTail : ReturnTo::kHead;
  const auto lease = random_duration(random_);
  const auto rejection = random_rejection(random_);

  WireMessage<wire::AckRequest> ack([&](auto to) { convert::write(receipts, options, to); });
  const auto ack_call = must(convert::read(ack.get()));
  EXPECT_EQ(ack_call.receipts, receipts);
  EXPECT_EQ(ack_call.options.durability, options.durability);

  const ExtendOptions extension{.lets_run_out = random_rejection(random_)};
  WireMessage<wire::ExtendRequest> extend([&](auto to) { convert::write(receipts, lease, extension, to); });
  const auto extend_call = must(convert::read(extend.get()));
  EXPECT_EQ(extend_call.receipts, receipts);
  EXPECT_EQ(extend_call.lease, lease);
  EXPECT_EQ(extend_call.options.lets_run_out, extension.lets_run_out);

  WireMessage<wire::ReleaseRequest> released([&](auto to) { convert::write(receipts, release, to); });
  const auto release_call = must(convert::read(released.get()));
  EXPECT_EQ(release_call.receipts, receipts);
  EXPECT_EQ(release_call.options.delay, release.delay);
  EXPECT_EQ(release_call.options.charge, release.charge);
  EXPECT_EQ(release_call.options.to, release.to);
  EXPECT_EQ(release_call.options.failure, release.failure);

  WireMessage<wire::RejectRequest> reject([&](auto to) { convert::write(receipts, rejection, options, to); });
  const auto reject_call = must(convert::read(reject.get()));
  EXPECT_EQ(reject_call.receipts, receipts);
  EXPECT_EQ(reject_call.rejection.category, rejection.category);
  EXPECT_EQ(reject_call.rejection.reason, rejection.reason);
  EXPECT_EQ(reject_call.rejection.code, rejection.code);
  EXPECT_EQ(reject_call.rejection.stack_trace, rejection.stack_trace);
  EXPECT_EQ(reject_call.options.durability, options.durability);
}

TEST_P(ConvertMessage, SettleReplyComesThroughPerEntry) {
  std::vector<Result<void>> results(random_.below(20));
  for (auto& result : results) {
    if (random_.one_in(3)) result = tl::unexpected(random_error(random_));
  }
  WireMessage<wire::SettleReply> wire([&](auto to) { convert::write(BatchResult<void>(results), to); });
  const auto read = must(convert::read(wire.get(), results.size()));

  ASSERT_EQ(read.size(), results.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    ASSERT_EQ(read[i].has_value(), results[i].has_value());
    if (!read[i]) {
      EXPECT_EQ(read[i].error(), results[i].error());
    }
  }
}

TEST(ConvertMalformed, DurabilityOutOfRangeIsNamed) {
  WireMessage<wire::SendRequest> send([](auto to) { to.setDurability(static_cast<wire::Durability>(7)); });
  EXPECT_THAT(convert::read(send.get()),
              FailsNaming(ErrorCode::kInvalidArgument, "durability: unknown value 7"));
  WireMessage<wire::AckRequest> ack([](auto to) { to.setDurability(static_cast<wire::Durability>(3)); });
  EXPECT_THAT(convert::read(ack.get()), FailsNaming(ErrorCode::kInvalidArgument, "durability"));
}

TEST(ConvertMalformed, TooManyEntriesAreNamed) {
  WireMessage<wire::SendRequest> send([](auto to) { to.initMessages(limits::kBatchEntries + 1); });
  EXPECT_THAT(convert::read(send.get()), FailsNaming(ErrorCode::kLimitExceeded, "messages: 10001 entries"));
  WireMessage<wire::AckRequest> ack([](auto to) { to.initReceipts(limits::kBatchEntries + 1); });
  EXPECT_THAT(convert::read(ack.get()), FailsNaming(ErrorCode::kLimitExceeded, "receipts"));
  WireMessage<wire::ReceiveRequest> receive([](auto to) { to.setMax(4'000'000'000); });
  EXPECT_THAT(convert::read(receive.get()), FailsNaming(ErrorCode::kLimitExceeded, "max"));
}

TEST(ConvertMalformed, TooManyBytesAreNamed) {
  const std::string half(limits::kBatchBytes / 2 + 1, 'x');
  WireMessage<wire::SendRequest> send([&](auto to) {
    const std::vector<Message> messages{{.body = half}, {.body = half}};
    convert::write("orders", messages, {}, to);
  });
  EXPECT_THAT(convert::read(send.get()), FailsNaming(ErrorCode::kLimitExceeded, "messages"));
}

TEST(ConvertMalformed, AttributesPastTheLimitAreCutToOneTooMany) {
  WireMessage<wire::SendRequest> send([](auto to) { to.initMessages(1)[0].initAttributes(100'000); });
  EXPECT_EQ(must(convert::read(send.get())).messages[0].attributes.size(), limits::kAttributes + 1);
}

TEST(ConvertMalformed, AReplyForOtherEntriesThanAskedIsTheServersFault) {
  WireMessage<wire::SendReply> sent([](auto to) { to.initOk().initIds(2); });
  EXPECT_THAT(convert::read(sent.get(), 3), FailsNaming(ErrorCode::kInternal, "ids"));
  WireMessage<wire::SettleReply> settled([](auto to) { to.initFailed(1)[0].setIndex(3); });
  EXPECT_THAT(convert::read(settled.get(), 3), FailsNaming(ErrorCode::kInternal, "failed.index"));
}

TEST(ConvertMalformed, AReplyMustSayADurability) {
  WireMessage<wire::SendReply> sent([](auto to) { to.initOk().initIds(1); });
  EXPECT_THAT(convert::read(sent.get(), 1), FailsNaming(ErrorCode::kInternal, "durability"));
}

TEST(ConvertMalformed, AnErrorOfTheCallIsNoEntrys) {
  const Error error{ErrorCode::kOverloaded, "busy"};
  WireMessage<wire::SettleReply> settled(
      [&](auto to) { convert::write(BatchResult<void>(tl::unexpected(error)), to); });
  const auto results = convert::read(settled.get(), 2);
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error(), error);
}

TEST(ConvertMalformed, AnErrorCodeOfALaterVersionReadsAsInternal) {
  WireMessage<wire::SettleReply> settled([](auto to) { to.initError().setCode(9999); });
  EXPECT_THAT(convert::read(settled.get(), 1), FailsWith(ErrorCode::kInternal));
}

TEST(ConvertMalformed, AnEmptyMessageIsARequestOfDefaults) {
  WireMessage<wire::ReceiveRequest> receive([](auto) {});
  const auto call = must(convert::read(receive.get()));
  EXPECT_THAT(call.queue, IsEmpty());
  EXPECT_EQ(call.options.max, ReceiveOptions{}.max);
  EXPECT_EQ(call.options.lease, std::nullopt);
}

}  // namespace
}  // namespace holdfast::testing
