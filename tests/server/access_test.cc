// These tests check what clients with tokens may do, over the wire.
#include <capnp/dynamic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <thread>

#include "holdfast/client.h"
#include "schema/convert/messages/push_conversion.h"
#include "schema/protocol/protocol_methods.h"
#include "tests/server/call_needs.h"
#include "tests/server/server_fixture.h"
#include "tests/server/tokens.h"

namespace holdfast::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class AccessTest : public ServerFixture {
 protected:
  AccessTest() {
    for (const char* name : {"orders", "orders-dlq", "secret"}) must(engine_->create_queue(name));
    serve();
  }

  // Starts the server, in place of one that runs already.
  void serve() {
    server_.reset();
    start({.tokens = tokens_of(
               {{.hash = hash_of("app-token"), .rights = app_}, token_with("ops-token", "ops", "all:*")})});
  }

  Result<Client> client(const std::string& token) {
    return Client::connect(server_->addresses().front(), {.token = token});
  }

  static Rights app_with(std::string_view grant) {
    return {.name = "app", .grants = {must(parse_grant(grant))}};
  }

  const Rights app_{.name = "app", .grants = {must(parse_grant("produce,consume:orders"))}};
};

TEST_F(AccessTest, WhoDoesNotSayWhoTheyAreMayDoNothing) {
  auto stranger = must(client(""));
  EXPECT_EQ(stranger.send("orders", {.body = "x"}).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.receive("nowhere").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.statistics().error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.subscribe("orders").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.list_queues().error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stranger.message_history({}).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(client("wrong").error().code, ErrorCode::kPermissionDenied);
}

// The test calls over the wire, so it finds a call that was forgotten where calls are dispatched.
TEST_F(AccessTest, EachCallOfTheProtocolIsRefusedToWhoLacksItsRight) {
  const std::map<char, std::string> letters = {
      {'p', "produce"}, {'c', "consume"}, {'o', "operate"}, {'a', "administer"}};
  std::vector<TokenEntry> entries;
  entries.reserve(letters.size());
  for (const auto& [letter, right] : letters) {
    entries.push_back(token_with(right, right, right + ":orders"));
  }
  server_->set_tokens(tokens_of(entries));
  auto raw = connect();
  // The capability is taken by value, since a DynamicCapability takes even what it is only lent.
  const auto refused = [&](wire::Broker::Client broker, capnp::InterfaceSchema::Method method) {
    auto request = capnp::DynamicCapability::Client(kj::mv(broker)).newRequest(method);
    for (auto field : method.getParamType().getFields()) {
      const std::string name = field.getProto().getName().cStr();
      if (name == "queue" || name == "name") request.set(field, "orders");
      if (name != "receipts") continue;
      auto receipt = request.init(field, 1).as<capnp::DynamicList>()[0].as<capnp::DynamicStruct>();
      receipt.set("queue", static_cast<std::uint64_t>(must(engine_->describe_queue("orders")).id));
    }
    const auto reply = request.send().wait(scope_);
    const auto code = reply.get("error").as<capnp::DynamicStruct>().get("code").as<std::uint16_t>();
    return code == static_cast<std::uint16_t>(ErrorCode::kPermissionDenied);
  };
  for (auto method : protocol::methods()) {
    const std::string name = method.getProto().getName().cStr();
    SCOPED_TRACE(name);
    const char need = needs().at(name);
    if (need == '.') continue;
    EXPECT_TRUE(refused(raw->broker(), method)) << "of a stranger";
    for (const auto& [letter, right] : letters) {
      if (need == letter || need == '?' || need == '*') continue;
      auto who = raw->broker().authenticateRequest();
      who.setToken(right);
      EXPECT_TRUE(refused(who.send().wait(scope_).getBroker(), method)) << "with " << right;
    }
  }
}

// The server has only a receipt, and does not know any more whose queue it was.
TEST_F(AccessTest, WhatWasAckedIsAnsweredAgainOnceItsQueueIsGone) {
  const SettleOptions named{.request_id = "mine"};
  Receipt acked;
  {
    auto app = must(client("app-token"));
    must(app.send("orders", {.body = "x"}));
    acked = must(app.receive("orders")).front().receipt;
    must(app.ack(acked, named));
  }
  must(engine_->delete_queue("orders"));
  serve();
  auto app = must(client("app-token"));
  EXPECT_THAT(app.ack(acked, named), Succeeds());
  EXPECT_THAT(app.ack(acked), FailsWith(ErrorCode::kMessageNotFound));
}

// A repetition must not be refused as if nothing had been done.
TEST_F(AccessTest, WhoLostARightIsNotToldThatNothingWasDone) {
  const auto granted = [&](std::string_view grant) {
    server_->set_tokens(tokens_of({{.hash = hash_of("app-token"), .rights = app_with(grant)}}));
    return must(client("app-token"));
  };
  const auto with_id = [](std::string id) { return SendOptions{.request_id = std::move(id)}; };
  const auto redriving = [](std::string id, bool wait = true) {
    return RedriveOptions{.wait = wait, .request_id = std::move(id)};
  };
  const RedriveOptions parking{.action = RedriveAction::kPark, .request_id = "park"};
  must(engine_->alter_queue("orders-dlq", {.dead_letters = {.parking_queue = "secret"}},
                            MissingQueues::kCreate));
  {
    auto full = granted("all:*");
    must(full.send("orders", {.body = "x"}, with_id("send")));
    const auto delivery = must(full.receive("orders")).front();
    must(full.ack(delivery.receipt, {.request_id = "ack"}));
    must(full.redrive("orders-dlq", redriving("redrive")));
    must(full.redrive("orders-dlq", redriving("start", false)));
    must(full.redrive("orders-dlq", parking));
  }
  // The token now has no right on the queue, or less than is needed.
  for (const auto& [grant, refusal] : {std::pair("all:secret", ErrorCode::kQueueNotFound),
                                       std::pair("administer:orders*", ErrorCode::kPermissionDenied)}) {
    auto less = granted(grant);
    const auto send = [&](const char* id) { return less.send("orders", {.body = "x"}, with_id(id)); };
    EXPECT_THAT(send("send"), FailsWith(ErrorCode::kOutcomeUnknown));
    EXPECT_THAT(less.redrive("orders-dlq", redriving("redrive")), FailsWith(ErrorCode::kOutcomeUnknown));
    EXPECT_THAT(less.redrive("orders-dlq", redriving("start", false)), FailsWith(ErrorCode::kOutcomeUnknown));
    EXPECT_THAT(less.redrive("orders-dlq", parking), FailsWith(ErrorCode::kOutcomeUnknown));
    // The answer does not tell what was done under the id.
    EXPECT_THAT(send("ack"), FailsWith(ErrorCode::kOutcomeUnknown));
    EXPECT_THAT(less.send("secret-too", {.body = "y"}, with_id("ack")),
                FailsWith(ErrorCode::kOutcomeUnknown));
    EXPECT_THAT(send("new"), FailsWith(refusal));
    EXPECT_THAT(less.redrive("orders-dlq", redriving("new too")), FailsWith(refusal));
    EXPECT_THAT(send(""), FailsWith(refusal));
  }
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.sent, 1U);
}

TEST_F(AccessTest, WhoLostARightIsNotToldThatABatchDidNothingWhereOnlyItsLaterQueuesHadAnything) {
  const SettleOptions named{.request_id = "mine"};
  must(engine_->create_queue("others"));
  must(engine_->send("others", {.body = "x"}));
  const Receipt over = must(engine_->receive("others")).front().receipt;
  must(engine_->ack(over));
  must(engine_->send("orders", {.body = "x"}));
  const std::vector batch{over, must(engine_->receive("orders")).front().receipt};
  server_->set_tokens(tokens_of({{.hash = hash_of("app-token"), .rights = app_with("all:*")}}));
  EXPECT_THAT(must(must(client("app-token")).ack_batch(batch, named)),
              ElementsAre(Not(Succeeds()), Succeeds()));
  server_->set_tokens(tokens_of({{.hash = hash_of("app-token"), .rights = app_with("produce:orders")}}));
  EXPECT_THAT(must(client("app-token")).ack_batch(batch, named), FailsWith(ErrorCode::kOutcomeUnknown));
}

TEST_F(AccessTest, WhoWasGrantedNothingIsNotToldWhichRequestIdsAreInUse) {
  must(engine_->send("orders", {.body = "x"}, {.request_id = "send"}));
  auto stranger = must(client(""));
  EXPECT_THAT(stranger.send("orders", {.body = "x"}, {.request_id = "send"}),
              FailsWith(ErrorCode::kPermissionDenied));
}

class RequestIdsOfTokens : public AccessTest {
 protected:
  RequestIdsOfTokens() {
    must(engine_->alter_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}));
    serve_two("app-token");
  }

  // Anew, where there is a server already.
  void serve_two(const std::string& secret_of_app) {
    server_.reset();
    start({.tokens = tokens_of(
               {token_with(secret_of_app, "app", "all:*"), token_with("other-token", "other", "all:*")})});
  }

  Receipt delivery() {
    must(engine_->send("orders", {.body = "x"}));
    return must(engine_->receive("orders")).front().receipt;
  }
};

TEST_F(RequestIdsOfTokens, TwoTokensMayChooseTheSameId) {
  auto app = must(client("app-token"));
  auto other = must(client("other-token"));
  const SettleOptions settle{.request_id = "settle-1234"};
  const RedriveOptions redrive{.wait = false, .request_id = "redrive-1234"};
  EXPECT_THAT(app.send("orders", {.body = "x"}, {.request_id = "order-1234"}), Succeeds());
  EXPECT_THAT(other.send("orders", {.body = "y"}, {.request_id = "order-1234"}), Succeeds());
  EXPECT_EQ(must(engine_->describe_queue("orders")).counts.ready, 2U);
  must(engine_->purge_queue("orders"));
  const Receipt acked = delivery();
  EXPECT_THAT(app.ack(acked, settle), Succeeds());
  EXPECT_THAT(other.ack(acked, settle), FailsWith(ErrorCode::kMessageNotFound)) << "it is another call";
  EXPECT_THAT(other.reject(delivery(), {.reason = "of other"}, {.request_id = "mine"}), Succeeds());
  EXPECT_THAT(app.reject(delivery(), {.reason = "of app"}, {.request_id = "mine"}), Succeeds());
  const auto task = must(app.redrive("orders-dlq", redrive)).task;
  EXPECT_NE(must(other.redrive("orders-dlq", redrive)).task, task);
  EXPECT_EQ(must(app.redrive("orders-dlq", redrive)).task, task);
}

TEST_F(RequestIdsOfTokens, OneTokensRepetitionIsOneCallOverARestartAndANewSecret) {
  const SendOptions named{.request_id = "order-1234"};
  const SettleOptions settle{.request_id = "settle-1234"};
  const RedriveOptions redrive{.wait = false, .request_id = "redrive-1234"};
  const Receipt acked = delivery();
  const Receipt rejected = delivery();
  const auto make_all = [&](const std::string& token) {
    auto app = must(client(token));
    EXPECT_THAT(app.ack(acked, settle), Succeeds());
    EXPECT_THAT(app.reject(rejected, {.reason = "r"}, {.request_id = "reject-1234"}), Succeeds());
    const auto id = must(app.send("orders", {.body = "x"}, named)).id;
    return std::pair(id, must(app.redrive("orders-dlq", redrive)).task);
  };
  const auto first = make_all("app-token");
  server_.reset();
  engine_.reset();
  engine_.emplace(must(Engine::open(directory_ / "data", {.write_buffer_bytes = kWriteBufferBytes})));
  serve_two("new-token");
  EXPECT_EQ(make_all("new-token"), first);
  EXPECT_EQ(must(engine_->describe_queue("orders")).totals.sent, 3U);
  const auto refused = must(client("new-token")).send("orders", {.body = "y"}, named);
  ASSERT_THAT(refused, FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(refused.error().message, HasSubstr("the request_id was used for a call with other content"));
}

TEST_F(RequestIdsOfTokens, AnIdHasTheSameLimitAsWithoutTokens) {
  auto app = must(client("app-token"));
  const auto send = [&](std::size_t bytes) {
    return app.send("orders", {.body = "x"}, {.request_id = std::string(bytes, 'i')});
  };
  EXPECT_THAT(send(limits::kRequestIdBytes), Succeeds());
  const auto refused = send(limits::kRequestIdBytes + 1);
  ASSERT_THAT(refused, FailsWith(ErrorCode::kLimitExceeded));
  EXPECT_THAT(refused.error().message, HasSubstr("65 bytes"));
}

// A token that may not see bodies may not write them either.
TEST_F(AccessTest, WhoMayNotEditAnyMoreIsNotToldThatNothingWasMoved) {
  const RedriveOptions edited{.edit = {.body = "y"}, .request_id = "redrive"};
  server_->set_tokens(tokens_of({{.hash = hash_of("app-token"), .rights = app_with("operate:orders-dlq")}}));
  must(must(client("app-token")).redrive("orders-dlq", edited));
  Rights hiding = app_with("operate:orders-dlq");
  hiding.hidden.bodies = true;
  server_->set_tokens(tokens_of({{.hash = hash_of("app-token"), .rights = hiding}}));
  auto app = must(client("app-token"));
  EXPECT_THAT(app.redrive("orders-dlq", edited), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_THAT(app.redrive("orders-dlq", {.edit = edited.edit, .request_id = "new"}),
              FailsWith(ErrorCode::kPermissionDenied));
}

TEST_F(AccessTest, ATokenGivesItsRightsAndNoMore) {
  auto app = must(client("app-token"));
  must(app.send("orders", {.body = "x"}));
  const auto delivery = must(app.receive("orders")).front();
  must(app.extend(delivery.receipt, 1min));
  must(app.ack(delivery.receipt));
  EXPECT_EQ(app.purge_queue("orders").error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(app.send("secret", {.body = "x"}).error().code, ErrorCode::kQueueNotFound);
  // The answer is the same as for a queue that does not exist.
  EXPECT_EQ(app.describe_queue("secret").error().message, "no queue named 'secret'");
  EXPECT_EQ(engine_->describe_queue("nowhere").error().message, "no queue named 'nowhere'");
  std::vector<std::string> seen;
  for (const auto& queue : must(app.list_queues())) seen.push_back(queue.name);
  EXPECT_THAT(seen, ElementsAre("orders"));
  must(engine_->send("secret", {.body = "x"}));
  const auto others = must(engine_->receive("secret")).front();
  EXPECT_EQ(app.ack(others.receipt).error().code, ErrorCode::kMessageNotFound);
  must(engine_->ack(others.receipt));

  auto ops = must(client("ops-token"));
  must(ops.create_queue("new"));
  must(ops.statistics());
  EXPECT_THAT(must(ops.list_queues()), SizeIs(4));
}

// The queue may be one that the token knows nothing of, or one that does not exist. The answer does not tell
// which it is.
TEST_F(AccessTest, ReceiptsOfOthersAreAnsweredAsMadeUpOnesAre) {
  auto app = must(client("app-token"));
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->send("secret", {.body = "x"}));
  const auto own = must(app.receive("orders")).front().receipt;
  const auto others = must(engine_->receive("secret")).front().receipt;
  Receipt made_up = others;
  made_up.queue = QueueId{4711};
  const std::vector receipts = {others, made_up};
  const auto expect_alike = [](const std::vector<Result<void>>& answers) {
    EXPECT_EQ(answers.at(0).error().code, ErrorCode::kMessageNotFound);
    EXPECT_EQ(answers.at(0).error(), answers.at(1).error());
  };
  expect_alike(must(app.ack_batch(receipts)));
  expect_alike(must(app.extend_batch(receipts, 1min)));
  expect_alike(must(app.start_batch(receipts)));
  expect_alike(must(app.release_batch(receipts)));
  expect_alike(must(app.reject_batch(receipts, {})));
  EXPECT_EQ(must(engine_->describe_queue("secret")).counts.leased, 1U) << "nothing has happened to it";

  const auto mixed = must(app.ack_batch(std::vector{others, own}));
  EXPECT_EQ(mixed.at(0).error().code, ErrorCode::kMessageNotFound);
  must(mixed.at(1));
}

TEST_F(AccessTest, WhoAdministersAQueueGivesItARetryPolicy) {
  auto ops = must(client("ops-token"));
  const RetryPolicy slow{.kind = RetryKind::kFixed, .base = 5s, .to = ReturnTo::kTail};
  must(ops.create_queue("slow", {.retry = {.policy = slow}}));
  must(ops.alter_queue("orders", {.retry = {.policy = slow}}));
  for (const char* queue : {"slow", "orders"})
    EXPECT_EQ(must(ops.describe_queue(queue)).options.retry.policy, slow) << queue;
}

// Otherwise a redrive would put the message into that queue for them.
TEST_F(AccessTest, NobodyImportsWhatARedriveWouldTakeToTheQueueOfOthers) {
  must(engine_->create_queue("mine", {.dead_letters = {.queue = "mine-dlq"}}, MissingQueues::kCreate));
  must(engine_->send("mine", {.body = "x"}));
  must(engine_->reject(must(engine_->receive("mine")).front().receipt, {}));
  server_->set_tokens(tokens_of({token_with("team", "team", "all:mine*")}));
  auto team = must(client("team"));
  DeadLetter letter = must(team.list_dead_letters("mine-dlq", {.bodies = true})).items.at(0);
  must(team.discard_dead_letters("mine-dlq", {.all = true}));
  letter.record.source_queue = "secret";
  for (const char* source : {"secret", "nowhere"}) {
    letter.record.source_queue = source;
    EXPECT_THAT(
        team.import_dead_letters("mine-dlq", {letter}),
        FailsNaming(ErrorCode::kQueueNotFound, "source_queue: no queue named '" + std::string(source)));
  }
  // History is never redriven.
  letter.history = true;
  EXPECT_EQ(must(team.import_dead_letters("mine-dlq", {letter})).refused, 1U);
  letter.history = false;
  letter.record.source_queue = "mine";
  EXPECT_EQ(must(team.import_dead_letters("mine-dlq", {letter})).imported, 1U);
}

TEST_F(AccessTest, ASearchFindsWhatMayBeOperated) {
  for (const char* name : {"mine", "orders", "secret"}) {
    must(engine_->create_queue(name + std::string("-dead")));
    if (name == std::string("mine")) must(engine_->create_queue(name));
    must(engine_->alter_queue(name, {.dead_letters = {.queue = name + std::string("-dead")}},
                              MissingQueues::kCreate));
    must(engine_->send(name, {.body = "x"}));
    must(engine_->reject(must(engine_->receive(name)).front().receipt, {}));
  }
  server_->set_tokens(tokens_of(
      {{.hash = hash_of("some"),
        .rights = {.name = "some",
                   .grants = {must(parse_grant("operate:mine*")), must(parse_grant("consume:orders*"))}}},
       token_with("all", "all", "operate:*")}));
  auto some = must(client("some"));
  auto all = must(client("all"));
  EXPECT_THAT(must(all.find_dead_letters()).items, SizeIs(3));
  const auto found = must(some.find_dead_letters());
  ASSERT_THAT(found.items, SizeIs(1));
  EXPECT_EQ(found.items[0].queue, "mine-dead");
  EXPECT_EQ(must(some.find_dead_letters({.queues = {"mine-dead"}})).items, found.items);
  EXPECT_THAT(some.find_dead_letters({.queues = {"mine-dead", "orders-dead"}}),
              FailsWith(ErrorCode::kPermissionDenied));
  EXPECT_THAT(some.find_dead_letters({.queues = {"secret-dead"}}), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_F(AccessTest, WhoAcknowledgedADeadLetterIsTheToken) {
  must(engine_->alter_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}, MissingQueues::kCreate));
  must(engine_->send("orders", {.body = "x"}));
  must(engine_->reject(must(engine_->receive("orders")).front().receipt, {}));
  auto ops = must(client("ops-token"));
  must(ops.ack(must(ops.receive("orders-dlq", {.consumer = {.instance = "w1"}})).at(0).receipt,
               {.actor = "ann"}));
  const auto records = must(engine_->list_dead_letters("orders-dlq", {.filter = {.history = true}})).items;
  EXPECT_EQ(records.at(0).triage.audit.back().actor, "ops (ann)");
}

TEST_F(AccessTest, ATraceShowsWhatMayBeOperated) {
  for (const char* name : {"orders", "secret"})
    must(engine_->alter_queue(name, {.journal = JournalOptions{.max_entries = 100}}));
  must(engine_->alter_queue("orders", {.dead_letters = {.queue = "secret"}}, MissingQueues::kCreate));
  const MessageId id = must(engine_->send("orders", {.body = "x"})).id;
  must(engine_->reject(must(engine_->receive("orders")).front().receipt, {}));
  must(engine_->receive("secret"));
  EXPECT_THAT(must(must(client("app-token")).message_history(id)).steps, IsEmpty());
  EXPECT_THAT(must(must(client("ops-token")).message_history(id)).steps, SizeIs(4));
  server_->set_tokens(tokens_of({token_with("some-token", "some", "operate:orders")}));
  EXPECT_THAT(must(must(client("some-token")).message_history(id)).steps, SizeIs(3));
}

TEST_F(AccessTest, ARevokedTokenIsGoodForNothing) {
  auto app = must(client("app-token"));
  must(app.send("orders", {.body = "x"}));
  server_->set_tokens(tokens_of({}));
  EXPECT_EQ(app.send("orders", {.body = "x"}).error().code, ErrorCode::kPermissionDenied);
  server_->set_tokens(tokens_of({{.hash = hash_of("app-token"), .rights = app_}}));
  must(app.send("orders", {.body = "x"}));
}

// Returns a request of the method with this ordinal in this interface, which the protocol need not have.
capnp::Request<capnp::AnyPointer, capnp::AnyPointer> request_by_number(wire::Broker::Client& broker,
                                                                       std::uint64_t interface_id,
                                                                       std::uint16_t method) {
#if CAPNP_VERSION < 1000000  // Debian 12 has 0.9.2, Debian 13 has 1.1.0, which also takes hints
  return broker.typelessRequest(interface_id, method, {});
#else
  return broker.typelessRequest(interface_id, method, {}, {});
#endif
}

TEST_F(AccessTest, ACallThatTheProtocolDoesNotHaveIsAnsweredAsSuchToWhoIsRefusedAllOthers) {
  auto raw = connect();
  auto who = raw->broker().authenticateRequest();
  who.setToken("app-token");
  auto app = who.send().wait(scope_).getBroker();
  server_->set_tokens(tokens_of({}));
  constexpr std::uint64_t kNoInterface = 0x8000'0000'0000'0001;
  std::vector<std::pair<std::uint64_t, std::size_t>> unknown = {{kNoInterface, 0}};
  const auto add_unknown = [&](capnp::InterfaceSchema interface) {
    for (const std::size_t method : {std::size_t{interface.getMethods().size()}, std::size_t{60'000}})
      unknown.emplace_back(interface.getProto().getId(), method);
  };
  const auto broker = capnp::Schema::from<wire::Broker>();
  add_unknown(broker);
  for (const auto extended : broker.getSuperclasses()) add_unknown(extended);
  for (const auto& [interface_id, method] : unknown) {
    auto request = request_by_number(app, interface_id, static_cast<std::uint16_t>(method));
    auto type = request.send().then([](auto) { return kj::Exception::Type::FAILED; },
                                    [](kj::Exception&& why) { return why.getType(); });
    EXPECT_EQ(type.wait(scope_), kj::Exception::Type::UNIMPLEMENTED) << interface_id << '.' << method;
  }
}

// Somebody who has taken the old token must not keep what it gave.
TEST_F(AccessTest, ATokenMadeAnewUnderItsNameDoesNotKeepTheOldOneGood) {
  auto app = must(client("app-token"));
  auto stream = must(app.subscribe("orders"));
  server_->set_tokens(tokens_of({{.hash = hash_of("new-token"), .rights = app_}}));
  EXPECT_EQ(app.send("orders", {.body = "x"}).error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(stream.next(1, 1h).error().code, ErrorCode::kPermissionDenied);
  must(must(client("new-token")).send("orders", {.body = "x"}));
}

TEST_F(AccessTest, AuthenticationsPastTheLimitAreOverloaded) {
  server_->set_limits({.max_calls = 3});
  auto raw = connect();
  const auto authenticate = [&]() -> Result<wire::Broker::Client> {
    auto request = raw->broker().authenticateRequest();
    request.setToken("app-token");
    auto reply = request.send().wait(scope_);
    if (reply.isError()) return tl::unexpected(convert::read(reply.getError()));
    return reply.getBroker();
  };
  std::vector<wire::Broker::Client> brokers;
  brokers.reserve(3);
  for (int i = 0; i < 3; ++i) brokers.push_back(must(authenticate()));
  EXPECT_EQ(authenticate().error().code, ErrorCode::kOverloaded);
  must(must(client("app-token")).list_queues());
  brokers.pop_back();
  wait_until([&] { return authenticate().has_value(); });
}

TEST_F(AccessTest, ARevokedTokenEndsSubscriptionsAndWaits) {
  auto app = must(client("app-token"));
  auto stream = must(app.subscribe("orders", {.credit = 10}));
  must(engine_->send("orders", {.body = "before"}));
  wait_until([&] { return must(engine_->describe_queue("orders")).counts.leased == 1; });
  auto other = must(client("app-token"));
  auto waited = std::async(std::launch::async, [&] { return other.receive("orders", {.wait = 1h}); });
  server_->set_tokens(tokens_of({}));
  must(engine_->send("orders", {.body = "after"}));
  EXPECT_EQ(waited.get().error().code, ErrorCode::kPermissionDenied);
  // What had come before the token was revoked is not started any more.
  EXPECT_EQ(stream.next(10, 1h).error().code, ErrorCode::kPermissionDenied);
  wait_until([&] { return must(engine_->describe_queue("orders")).counts.ready == 2; });
}

TEST_F(AccessTest, WhoOperatesAQueueFollowsItsTasks) {
  server_->set_tokens(tokens_of(
      {token_with("mine", "mine", "operate:orders*"), token_with("theirs", "theirs", "operate:secret")}));
  auto mine = must(client("mine"));
  auto theirs = must(client("theirs"));
  const TaskId task = must(mine.redrive("orders-dlq", {.wait = false})).task;
  EXPECT_EQ(must(mine.redrive_status(task)).queue, "orders-dlq");
  EXPECT_THAT(must(mine.list_redrives()), SizeIs(1));
  EXPECT_THAT(must(theirs.list_redrives()), IsEmpty());
  const auto unknown = mine.redrive_status(TaskId{4711}).error();
  EXPECT_EQ(unknown.code, ErrorCode::kTaskNotFound);
  EXPECT_EQ(theirs.redrive_status(task).error().code, ErrorCode::kTaskNotFound);
  EXPECT_EQ(theirs.cancel_redrive(task).error().code, ErrorCode::kTaskNotFound);
}

TEST_F(AccessTest, TheOwnerOfAUnixSocketNeedsNone) {
  server_.reset();
  start({.listen = {"unix:" + (directory_ / "s").string()}, .tokens = tokens_of({})});
  auto local = must(client(""));
  must(local.create_queue("mine"));
}

TEST_F(AccessTest, OnlyUsersThatAreAllowedReachAUnixSocket) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  constexpr uid_t kNobody = 65534;
  // A thread that becomes another user keeps root's group.
  std::filesystem::permissions(directory_ / "", std::filesystem::perms::group_exec,
                               std::filesystem::perm_options::add);
  const std::string path = (directory_ / "s").string();
  // The file of the socket lets every user in, so the server has to look.
  for (const auto& [allowed, answered] : {std::pair{"1", false}, {"65534", true}}) {
    server_.reset();
    start({.listen = {"unix:" + path}, .users = {allowed}});
    must(must(Client::connect("unix:" + path)).list_queues());  // as root
    Result<void> said;
    std::thread([&] {
      // This is the system call itself, since the C library would change all threads. Threads that this
      // thread starts inherit the user.
      ASSERT_EQ(::syscall(SYS_setresuid, kNobody, kNobody, kNobody), 0);
      said = Client::connect("unix:" + path).map([](const Client&) {});
    }).join();
    if (answered) {
      EXPECT_TRUE(said) << said.error().message;
      continue;
    }
    EXPECT_EQ(said.error().code, ErrorCode::kPermissionDenied);
    EXPECT_THAT(said.error().message, HasSubstr("allow-user"));
    EXPECT_THAT(log(), AllOf(HasSubstr("call refused"), HasSubstr("principal=uid:65534"),
                             HasSubstr("error=permission_denied")));
  }
}

TEST_F(AccessTest, WithoutTokensEverybodyMayDoEverything) {
  server_.reset();
  start();
  must(must(client("")).create_queue("mine"));
  must(must(client("some-token")).create_queue("mine"));
}

}  // namespace
}  // namespace holdfast::server
