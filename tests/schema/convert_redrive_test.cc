// Conversions of redrives and their tasks: random values come through the wire, and an unknown action stays
// unknown.
#include <gmock/gmock.h>

#include "schema/convert/dead_letters/redrive_conversion.h"
#include "tests/client/random_values.h"
#include "tests/client/wire_message.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

class ConvertRedrive : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  Random random_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Seeds, ConvertRedrive, ::testing::Range<std::uint64_t>(1, kConversionSeeds));

TEST_P(ConvertRedrive, RequestComesThrough) {
  const RedriveOptions options = random_redrive_options(random_);
  WireMessage<wire::RedriveRequest> wire([&](auto to) { convert::write("dlq", options, to); });
  const auto call = must(convert::read(wire.get()));
  EXPECT_EQ(call.queue, "dlq");
  EXPECT_EQ(call.options, options);
}

// The conversion lets an unknown action through, and the engine refuses it.
TEST(ConvertRedriveAction, AnUnknownOneIsNoneOfThoseThatThereAre) {
  WireMessage<wire::RedriveRequest> wire(
      [](auto to) { to.initOptions().setAction(static_cast<wire::RedriveAction>(2)); });
  EXPECT_EQ(to_string(must(convert::read(wire.get())).options.action), "unknown");
}

TEST_P(ConvertRedrive, CancelRequestComesThrough) {
  const TaskId task{random_number(random_)};
  const std::string actor = random_text(random_);
  WireMessage<wire::CancelRedriveRequest> cancel([&](auto to) { convert::write(task, actor, to); });
  EXPECT_EQ(convert::read(cancel.get()).task, task);
  EXPECT_EQ(convert::read(cancel.get()).actor, actor);
}

TEST_P(ConvertRedrive, RepliesComeThrough) {
  Redriven redriven{TaskId{random_number(random_)}, random_number(random_), random_number(random_),
                    random_left(random_)};
  if (random_.one_in(2)) redriven.sample.push_back(random_dead_letter(random_));
  WireMessage<wire::RedriveReply> wire([&](auto to) { convert::write(Result<Redriven>(redriven), to); });
  const Redriven read = must(convert::read(wire.get()));
  EXPECT_EQ(read.task, redriven.task);
  EXPECT_EQ(read.moved, redriven.moved);
  EXPECT_EQ(read.parked, redriven.parked);
  EXPECT_EQ(read.left, redriven.left);
  EXPECT_EQ(read.sample, redriven.sample);

  const TaskStatus status = random_task_status(random_);
  WireMessage<wire::TaskReply> task([&](auto to) { convert::write(Result<TaskStatus>(status), to); });
  EXPECT_EQ(must(convert::read(task.get())), status);
  WireMessage<wire::ListRedrivesReply> list([&](auto to) {
    convert::write(Result<std::vector<TaskStatus>>(std::vector{status, status}), to);
  });
  EXPECT_EQ(must(convert::read(list.get())), (std::vector{status, status}));
}

}  // namespace
}  // namespace holdfast::testing
