// Conversions of queues, traces, dead letters and hellos: random values come through the wire, and malformed
// messages are answered.
#include <gmock/gmock.h>

#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/messages/message_history_conversion.h"
#include "schema/convert/queues/queue_conversion.h"
#include "schema/convert/values/hello_conversion.h"
#include "tests/client/random_options.h"
#include "tests/client/random_values.h"
#include "tests/client/wire_message.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

class ConvertQueue : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  std::uint64_t number() { return random_.between(0, UINT64_MAX - 1); }
  Random random_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Seeds, ConvertQueue, ::testing::Range<std::uint64_t>(1, kConversionSeeds));

TEST_P(ConvertQueue, CreateRequestComesThrough) {
  const auto options = random_options(random_);
  const auto missing = static_cast<MissingQueues>(random_.between(0, 1));
  WireMessage<wire::CreateQueueRequest> wire(
      [&](auto to) { convert::write("orders", options, missing, to); });
  const auto call = must(convert::read(wire.get()));
  EXPECT_EQ(call.name, "orders");
  EXPECT_EQ(call.missing, missing);
  EXPECT_EQ(call.options, options);
}

TEST_P(ConvertQueue, AlterRequestComesThrough) {
  const auto changes = random_changes(random_);
  const auto missing = static_cast<MissingQueues>(random_.between(0, 1));
  WireMessage<wire::AlterQueueRequest> wire([&](auto to) { convert::write("orders", changes, missing, to); });
  const auto call = must(convert::read(wire.get()));
  EXPECT_EQ(call.name, "orders");
  EXPECT_EQ(call.missing, missing);
  EXPECT_EQ(call.changes, changes);
}

TEST_P(ConvertQueue, QueueInfoComesThrough) {
  const QueueInfo info{
      .name = "q" + random_text(random_),
      .id = QueueId(number()),
      .created_at = random_time(random_),
      .options = random_options(random_),
      .counts = {number(), number(), number(), number()},
      .totals = {number(), number(), number(), number(), number(), number(), number(), number(), number()},
      .paused = {.deliveries = random_.one_in(2), .sends = random_.one_in(2)}};
  WireMessage<wire::ListQueuesReply> wire(
      [&](auto to) { convert::write(Result<std::vector<QueueInfo>>(std::vector{info}), to); });
  const auto read = must(convert::read(wire.get())).at(0);
  EXPECT_EQ(read.name, info.name);
  EXPECT_EQ(read.id, info.id);
  EXPECT_EQ(read.created_at, info.created_at);
  EXPECT_EQ(read.options, info.options);
  EXPECT_EQ(read.counts, info.counts);
  EXPECT_EQ(read.totals, info.totals);
  EXPECT_EQ(read.paused, info.paused);
}

TEST_P(ConvertQueue, TracesComeThrough) {
  MessageHistory history{.steps = {}, .truncated = random_.one_in(2)};
  for (std::uint64_t i = random_.below(20); i > 0; --i) {
    history.steps.push_back({.at = random_time(random_),
                             .kind = static_cast<StepKind>(random_.between(1, 16)),
                             .queue = random_text(random_),
                             .to = random_text(random_),
                             .seq = Seq{number()},
                             .deliveries = static_cast<std::uint32_t>(random_.below(UINT32_MAX)),
                             .consumer = {random_text(random_), random_text(random_)},
                             .until = random_time(random_),
                             .cause = static_cast<DeathCause>(random_.below(6)),
                             .category = random_text(random_),
                             .reason = random_text(random_)});
  }
  WireMessage<wire::MessageHistoryReply> wire(
      [&](auto to) { convert::write(Result<MessageHistory>(history), to); });
  const auto read = must(convert::read(wire.get()));
  EXPECT_EQ(read.steps, history.steps);
  EXPECT_EQ(read.truncated, history.truncated);

  const MessageId id = random_id(random_);
  WireMessage<wire::MessageHistoryRequest> request([&](auto to) { convert::write(id, to); });
  EXPECT_EQ(convert::read(request.get()), id);
}

TEST_P(ConvertQueue, SmallRepliesComeThrough) {
  const QueueDeclared declared{.created = random_.one_in(2), .warnings = {random_text(random_), "careful"}};
  WireMessage<wire::DeclareReply> wire([&](auto to) { convert::write(Result<QueueDeclared>(declared), to); });
  const auto read = must(convert::read(wire.get()));
  EXPECT_EQ(read.created, declared.created);
  EXPECT_EQ(read.warnings, declared.warnings);

  const auto purged = number();
  WireMessage<wire::PurgeReply> purge([&](auto to) { convert::write(Result<std::uint64_t>(purged), to); });
  EXPECT_EQ(must(convert::read(purge.get())), purged);
}

TEST_P(ConvertQueue, ErrorsComeThrough) {
  const auto error = random_error(random_);
  const Result<void> failed = tl::unexpected(error);
  WireMessage<wire::EmptyReply> wire([&](auto to) { convert::write(failed, to); });
  EXPECT_EQ(convert::read(wire.get()).error(), error);
}

TEST_P(ConvertQueue, ListDeadLettersComesThrough) {
  ListDeadLettersOptions options{.max = random_.between(0, limits::kListPage), .bodies = random_.one_in(2)};
  if (random_.one_in(2)) options.after = cursor_of(random_dead_letter(random_));
  options.filter = random_filter(random_);
  options.newest_first = random_.one_in(2);
  options.redact = {.bodies = random_.one_in(2), .attributes = {random_text(random_)}};
  WireMessage<wire::ListDeadLettersRequest> wire([&](auto to) { convert::write("dlq", options, to); });
  const auto call = must(convert::read(wire.get()));
  EXPECT_EQ(call.queue, "dlq");
  EXPECT_EQ(call.options.after, options.after);
  EXPECT_EQ(call.options.max, options.max);
  EXPECT_EQ(call.options.filter, options.filter);
  EXPECT_EQ(call.options.newest_first, options.newest_first);
  EXPECT_EQ(call.options.redact, options.redact);
  EXPECT_EQ(call.options.bodies, options.bodies);
}

TEST_P(ConvertQueue, DeadLettersComeThrough) {
  DeadLetterPage page;
  if (random_.one_in(2)) page.next = cursor_of(random_dead_letter(random_));
  page.time = random_time(random_);
  page.items.resize(random_.below(5));
  for (auto& item : page.items) item = random_dead_letter(random_);
  WireMessage<wire::ListDeadLettersReply> wire(
      [&](auto to) { convert::write(Result<DeadLetterPage>(page), to); });
  const auto read = must(convert::read(wire.get()));
  EXPECT_EQ(read.next, page.next);
  EXPECT_EQ(read.items, page.items);
  EXPECT_EQ(read.time, page.time);
}

TEST_P(ConvertQueue, GroupDeadLettersComesThrough) {
  const GroupDeadLettersOptions options{.by = DeadLetterGrouping::kStatus,
                                        .filter = random_filter(random_),
                                        .max = random_.below(1000),
                                        .redact = {.bodies = true}};
  WireMessage<wire::GroupDeadLettersRequest> wire([&](auto to) { convert::write("dlq", options, to); });
  const auto call = must(convert::read(wire.get()));
  EXPECT_EQ(call.queue, "dlq");
  EXPECT_EQ(call.options.by, options.by);
  EXPECT_EQ(call.options.filter, options.filter);
  EXPECT_EQ(call.options.max, options.max);
  EXPECT_EQ(call.options.redact, options.redact);

  DeadLetterGroups groups{.groups = {{random_text(random_), number(), random_time(random_),
                                      random_time(random_), random_dead_letter(random_)}},
                          .left_out = number(),
                          .total = number(),
                          .complete = random_.one_in(2)};
  WireMessage<wire::GroupDeadLettersReply> reply(
      [&](auto to) { convert::write(Result<DeadLetterGroups>(groups), to); });
  EXPECT_EQ(must(convert::read(reply.get())), groups);
}

TEST_P(ConvertQueue, ChangeDeadLettersComesThrough) {
  BulkPart part{.selection = {.filter = random_filter(random_),
                              .all = random_.one_in(2),
                              .actor = random_text(random_),
                              .dry_run = random_.one_in(2)}};
  if (random_.one_in(2)) {
    part.from = BulkPlace{.after = {random_.one_in(2), Timestamp(Duration(random_.below(1U << 30U))),
                                    Seq{random_.below(1U << 30U)}},
                          .end = Seq{random_.below(1U << 30U)}};
  }
  DeadLetterChanges changes;
  if (random_.one_in(2)) changes.status = DeadLetterStatus::kAbandoned;
  if (random_.one_in(2)) changes.assignee = random_text(random_);
  if (random_.one_in(2)) changes.note = random_text(random_);
  WireMessage<wire::ChangeDeadLettersRequest> change(
      [&](auto to) { convert::write("dlq", part, changes, to); });
  const auto call = must(convert::read(change.get()));
  EXPECT_EQ(call.queue, "dlq");
  EXPECT_EQ(call.part, part);
  EXPECT_EQ(call.changes, changes);
  WireMessage<wire::DiscardDeadLettersRequest> discard([&](auto to) { convert::write("dlq", part, to); });
  EXPECT_EQ(must(convert::read(discard.get())).part, part);

  const BulkPartChanged changed{.changed = {.changed = number(), .unchanged = number(), .refused = number()},
                                .next = part.from};
  WireMessage<wire::DeadLettersChangedReply> reply(
      [&](auto to) { convert::write(Result<BulkPartChanged>(changed), to); });
  EXPECT_EQ(must(convert::read(reply.get())), changed);
}

TEST(ConvertMalformed, OptionsMustSayADurability) {
  WireMessage<wire::CreateQueueRequest> create(
      [](auto to) { to.initOptions().setDurability(wire::Durability::QUEUE_DEFAULT); });
  EXPECT_THAT(convert::read(create.get()), FailsNaming(ErrorCode::kInvalidArgument, "options.durability"));
  WireMessage<wire::AlterQueueRequest> alter(
      [](auto to) { to.getDurability().setSet(wire::Durability::QUEUE_DEFAULT); });
  EXPECT_THAT(convert::read(alter.get()), FailsNaming(ErrorCode::kInvalidArgument, "durability"));
}

TEST(ConvertMalformed, AnUnknownDeduplicationIsNamed) {
  WireMessage<wire::CreateQueueRequest> create(
      [](auto to) { to.initOptions().setDeduplication(static_cast<wire::Deduplication>(9)); });
  EXPECT_THAT(convert::read(create.get()), FailsNaming(ErrorCode::kInvalidArgument, "options.deduplication"));
}

TEST(ConvertMalformed, AnUnknownGroupingIsNamed) {
  WireMessage<wire::CreateQueueRequest> create(
      [](auto to) { to.initOptions().setGrouping(static_cast<wire::Grouping>(9)); });
  EXPECT_THAT(convert::read(create.get()), FailsNaming(ErrorCode::kInvalidArgument, "options.grouping"));
  WireMessage<wire::AlterQueueRequest> alter(
      [](auto to) { to.getGrouping().setSet(static_cast<wire::Grouping>(9)); });
  EXPECT_THAT(convert::read(alter.get()), FailsNaming(ErrorCode::kInvalidArgument, "grouping"));
}

// If a server took an unknown choice for a known one, it would let in senders that it was to keep out.
TEST(ConvertMalformed, AnUnknownChoiceOfSourcesIsNamed) {
  const auto later = static_cast<wire::DeadLetterSources::Allow>(3);
  const auto named = FailsNaming(ErrorCode::kInvalidArgument, "dead_letter_sources.allow: unknown value 3");
  WireMessage<wire::CreateQueueRequest> create(
      [&](auto to) { to.initOptions().initDeadLetterSources().setAllow(later); });
  EXPECT_THAT(convert::read(create.get()), named);
  WireMessage<wire::AlterQueueRequest> alter(
      [&](auto to) { to.getDeadLetterSources().initSet().setAllow(later); });
  EXPECT_THAT(convert::read(alter.get()), named);
}

TEST(ConvertMalformed, AbsentOptionsAreTheDefaults) {
  WireMessage<wire::CreateQueueRequest> create([](auto) {});
  EXPECT_EQ(must(convert::read(create.get())).options, QueueOptions{});
}

TEST(ConvertMalformed, TooLargeAPageIsNamed) {
  WireMessage<wire::ListDeadLettersRequest> list([](auto to) { to.setMax(1001); });
  EXPECT_THAT(convert::read(list.get()), FailsNaming(ErrorCode::kLimitExceeded, "max: 1001"));
}

TEST(ConvertMalformed, AQueueWithoutANameIsRefused) {
  WireMessage<wire::ListQueuesReply> list(
      [](auto to) { to.initQueues(1)[0].initOptions().setDurability(wire::Durability::FSYNC); });
  EXPECT_THAT(convert::read(list.get()), FailsNaming(ErrorCode::kInternal, "without a name"));
}

TEST(ConvertMalformed, AnUnknownCauseOfDeathIsNamed) {
  WireMessage<wire::ListDeadLettersReply> list(
      [](auto to) { to.initOk().initItems(1)[0].initRecord().setCause(static_cast<wire::DeathCause>(9)); });
  EXPECT_THAT(convert::read(list.get()), FailsNaming(ErrorCode::kInternal, "record.cause"));
}

TEST(ConvertHello, ClientNamesAreCutAndCleaned) {
  WireMessage<wire::HelloRequest> hello(
      [](auto to) { convert::write_hello("a\nb" + std::string(300, 'x'), {}, to); });
  const auto name = convert::client_name(hello.get());
  EXPECT_EQ(name.size(), 256U);
  EXPECT_EQ(name.substr(0, 3), "a?b");
}

TEST(ConvertHello, SaysWhichConnectionsAreLostUpToALimit) {
  const convert::ConnectionName name{.high = 1, .low = 2, .number = 3};
  for (const std::size_t lost : {std::size_t{0}, convert::kLostConnections, convert::kLostConnections + 1}) {
    std::vector<std::uint64_t> numbers(lost);
    std::iota(numbers.begin(), numbers.end(), 10);
    WireMessage<wire::HelloRequest> hello([&](auto to) { convert::write_hello("c", {name, numbers}, to); });
    const auto connections = convert::client_connections(hello.get());
    ASSERT_TRUE(connections);
    EXPECT_EQ(connections->present, name);
    numbers.resize(std::min(lost, convert::kLostConnections));
    EXPECT_EQ(connections->lost, numbers);
  }
}

TEST(ConvertHello, AClientNeedNotSpeakOfItsConnections) {
  WireMessage<wire::HelloRequest> hello([](auto to) { convert::write_hello("c", {}, to); });
  EXPECT_FALSE(convert::client_connections(hello.get()));
}

TEST(ConvertHello, ServerSaysItsVersionAndLimits) {
  WireMessage<wire::HelloReply> hello(
      [](auto to) { convert::write_hello("1.2.3", Timestamp(Duration(7)), to); });
  EXPECT_EQ(must(convert::read(hello.get())).version, "1.2.3");
  EXPECT_EQ(must(convert::read(hello.get())).protocol_version, wire::PROTOCOL_VERSION);
  EXPECT_EQ(must(convert::read(hello.get())).time, Timestamp(Duration(7)));
  EXPECT_EQ(hello.get().getOk().getLimits().getBodyBytes(), limits::kBodyBytesMax);
}

}  // namespace
}  // namespace holdfast::testing
