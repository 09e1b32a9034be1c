// Tests every call over the wire.
#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/dead_letters/redrive_conversion.h"
#include "schema/convert/queues/queue_conversion.h"
#include "schema/convert/values/hello_conversion.h"
#include "tests/server/server_fixture.h"

namespace holdfast::server {
namespace {

class ServerCalls : public ServerFixture {
 protected:
  ServerCalls() {
    start();
    client_ = connect();
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
  }

  Delivery receive_one() {
    auto deliveries = must(client_->receive("orders", {}).wait(scope_));
    if (deliveries.size() != 1) throw std::runtime_error("expected one message");
    return deliveries.front();
  }

  std::unique_ptr<RawClient> client_;
};

TEST_F(ServerCalls, Hello) {
  auto request = client_->broker().helloRequest();
  convert::write_hello("a test", {}, request);
  auto reply = request.send().wait(scope_);
  auto info = must(convert::read(reply));
  EXPECT_EQ(info.protocol_version, 1U);
  EXPECT_FALSE(info.version.empty());
  client_ = nullptr;
  EXPECT_THAT(log(), ::testing::HasSubstr("client=\"a test\""));
}

TEST_F(ServerCalls, CreateAlterDescribeListPurgeAndDelete) {
  auto create = client_->broker().createQueueRequest();
  convert::write("jobs", QueueOptions{.retry = {.max_deliveries = 7}}, MissingQueues::kRefuse, create);
  auto created = create.send().wait(scope_);
  EXPECT_TRUE(must(convert::read(created)).created);

  auto alter = client_->broker().alterQueueRequest();
  convert::write("jobs", QueueChanges{.retry = {.max_deliveries = 9}}, MissingQueues::kRefuse, alter);
  auto altered = alter.send().wait(scope_);
  EXPECT_FALSE(must(convert::read(altered)).created);

  must(engine_->send("jobs", {.body = "x"}));
  auto describe = client_->broker().describeQueueRequest();
  convert::write("jobs", describe);
  auto described = describe.send().wait(scope_);
  auto info = must(convert::read(described));
  EXPECT_EQ(info.options.retry.max_deliveries, 9U);
  EXPECT_EQ(info.counts.ready, 1U);

  auto purge = client_->broker().purgeQueueRequest();
  convert::write("jobs", purge);
  auto purged = purge.send().wait(scope_);
  EXPECT_EQ(must(convert::read(purged)), 1U);

  auto remove = client_->broker().deleteQueueRequest();
  convert::write("jobs", remove);
  auto removed = remove.send().wait(scope_);
  must(convert::read(removed));
  EXPECT_THAT(engine_->describe_queue("jobs"), FailsWith(ErrorCode::kQueueNotFound));

  auto listed = client_->broker().listQueuesRequest().send().wait(scope_);
  EXPECT_EQ(must(convert::read(listed)).size(), 2U);
}

TEST_F(ServerCalls, SendReceiveAndAck) {
  auto sent =
      must(client_->send("orders", {{.body = "42 widgets", .attributes = {{"a", "b"}}}}).wait(scope_));
  auto delivery = receive_one();
  EXPECT_EQ(delivery.id, must(sent.front()).id);
  EXPECT_EQ(delivery.body, "42 widgets");
  EXPECT_EQ(delivery.attributes, (Attributes{{"a", "b"}}));
  must(must(client_->ack({delivery.receipt}).wait(scope_)).front());
  EXPECT_THAT(must(client_->ack({delivery.receipt}).wait(scope_)).front(), FailsAsSettled());
}

TEST_F(ServerCalls, ExtendAndRelease) {
  must(engine_->send("orders", {.body = "again"}));
  auto delivery = receive_one();

  auto extend = client_->broker().extendBatchRequest();
  convert::write(std::vector{delivery.receipt}, Duration(1min), ExtendOptions{}, extend);
  auto extended = extend.send().wait(scope_);
  must(must(convert::read(extended, 1)).front());

  auto release = client_->broker().releaseBatchRequest();
  convert::write(std::vector{delivery.receipt}, ReleaseOptions{.charge = false}, release);
  auto released = release.send().wait(scope_);
  must(must(convert::read(released, 1)).front());
  EXPECT_EQ(receive_one().deliveries, 1U);
}

TEST_F(ServerCalls, RejectListAndRedrive) {
  must(engine_->send("orders", {.body = "bad"}));
  auto reject = client_->broker().rejectBatchRequest();
  convert::write(std::vector{receive_one().receipt}, Rejection{.category = "validation"}, SettleOptions{},
                 reject);
  auto rejected = reject.send().wait(scope_);
  must(must(convert::read(rejected, 1)).front());

  auto list = client_->broker().listDeadLettersRequest();
  convert::write("dead", ListDeadLettersOptions{.bodies = true}, list);
  auto listed = list.send().wait(scope_);
  auto page = must(convert::read(listed));
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items.front().body, "bad");
  EXPECT_EQ(page.items.front().record.category, "validation");

  auto redrive = client_->broker().redriveRequest();
  convert::write("dead", RedriveOptions{}, redrive);
  auto redriven = redrive.send().wait(scope_);
  EXPECT_EQ(must(convert::read(redriven)).moved, 1U);
  EXPECT_EQ(receive_one().replays, 1U);
}

TEST_F(ServerCalls, PageOfLargeDeadLettersEndsEarly) {
  std::vector<Message> messages(80, {.body = std::string(limits::kBodyBytes, 'x')});
  for (std::ptrdiff_t i = 0; i < std::ssize(messages); i += 40) {
    must(engine_->send_batch("orders", {messages.begin() + i, messages.begin() + i + 40}));
  }
  std::vector<Receipt> receipts;
  while (receipts.size() < 80) {
    for (auto& delivery : must(engine_->receive("orders", {.max = 80}))) receipts.push_back(delivery.receipt);
  }
  for (auto& result : must(engine_->reject_batch(receipts, {}))) must(result);

  std::size_t seen = 0;
  ListDeadLettersOptions options{.max = 1000, .bodies = true};
  do {
    auto list = client_->broker().listDeadLettersRequest();
    convert::write("dead", options, list);
    auto listed = list.send().wait(scope_);
    auto page = must(convert::read(listed));
    EXPECT_LE(page.items.size(), 64U);
    EXPECT_FALSE(page.items.empty());
    seen += page.items.size();
    options.after = page.next;
  } while (options.after);
  EXPECT_EQ(seen, 80U);
}

TEST_F(ServerCalls, ReceiveOfMoreThanAReplyHoldsGivesTheRestBackUncharged) {
  std::vector<Message> messages(35, {.body = std::string(limits::kBodyBytes, 'x')});
  for (int i = 0; i < 2; ++i) must(engine_->send_batch("orders", messages));
  auto first = must(client_->receive("orders", {.max = 100}).wait(scope_));
  EXPECT_EQ(first.size(), 64U);
  auto second = must(client_->receive("orders", {.max = 100, .wait = 10s}).wait(scope_));
  EXPECT_EQ(second.size(), 6U);
  for (auto& delivery : second) EXPECT_EQ(delivery.deliveries, 1U);
}

TEST_F(ServerCalls, CountsPastTheirLimitsAreErrorsByName) {
  auto greedy = must(client_->send("orders", {{.body = "x"}}).wait(scope_));
  EXPECT_THAT(client_->receive("orders", {.max = 0xffffffff}).wait(scope_), RefusesValue("max"));
  EXPECT_THAT(client_->receive("orders", {.max = 0}).wait(scope_), RefusesValue("max"));
  EXPECT_THAT(client_->receive("orders", {.wait = Duration::max()}).wait(scope_), RefusesValue("wait"));
  EXPECT_THAT(client_->receive("orders", {.wait = Duration::min()}).wait(scope_), RefusesValue("wait"));
  EXPECT_THAT(client_->receive("orders", {.lease = Duration::max()}).wait(scope_), RefusesValue("lease"));
  EXPECT_THAT(client_->ack(std::vector<Receipt>(limits::kBatchEntries + 1)).wait(scope_),
              RefusesValue("receipts"));
  EXPECT_THAT(client_->send("orders", std::vector<Message>(limits::kBatchEntries + 1)).wait(scope_),
              RefusesValue("messages"));
  EXPECT_THAT(client_->send("no such", {{.body = "x"}}).wait(scope_), FailsWith(ErrorCode::kQueueNotFound));

  auto list = client_->broker().listDeadLettersRequest();
  list.setQueue("dead");
  list.setMax(0xffffffff);
  auto listed = list.send().wait(scope_);
  EXPECT_THAT(convert::read(listed), RefusesValue("max"));
  list = client_->broker().listDeadLettersRequest();
  list.setQueue("dead");
  list.setMax(0);
  list.setBodies(true);
  auto none = list.send().wait(scope_);
  EXPECT_THAT(convert::read(none), RefusesValue("max"));
}

}  // namespace
}  // namespace holdfast::server
