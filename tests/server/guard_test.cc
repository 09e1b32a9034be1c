// Tests rights, and what each call needs of them.
#include "server/access/guard.h"

#include <capnp/message.h>

#include <memory>
#include <thread>

#include "engine/base/helpers/content_hash.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/limits.h"
#include "schema/protocol/protocol_methods.h"
#include "server/calls/methods.h"
#include "tests/server/call_needs.h"
#include "tests/server/server_fixture.h"
#include "tests/server/tokens.h"
#include "tests/support/held_store.h"

namespace holdfast::server {
namespace {

Rights rights(const std::vector<std::string>& grants) {
  Rights result{.name = "somebody"};
  for (const auto& grant : grants) result.grants.push_back(must(parse_grant(grant)));
  return result;
}

TEST(Grants, AreReadAndShown) {
  for (const char* text :
       {"produce:orders", "produce,consume:orders-*", "operate:*", "all:a.b_c-d", "administer:x*"}) {
    EXPECT_EQ(to_string(must(parse_grant(text))), text);
  }
  for (const char* text : {"", "produce", ":orders", "produce:", "send:orders", "produce,:orders",
                           "produce:a*b", "produce:a b", "produce:**"}) {
    EXPECT_FALSE(parse_grant(text)) << text;
  }
}

TEST(Grants, MatchNamesAndBeginnings) {
  const auto some = rights({"produce:orders", "consume,operate:log-*"});
  EXPECT_TRUE(some.allow(Right::kProduce, "orders"));
  EXPECT_FALSE(some.allow(Right::kProduce, "orders2"));
  EXPECT_FALSE(some.allow(Right::kConsume, "orders"));
  EXPECT_TRUE(some.allow(Right::kConsume, "log-"));
  EXPECT_TRUE(some.allow(Right::kOperate, "log-x"));
  EXPECT_FALSE(some.allow(Right::kAdminister, "log-x"));
  EXPECT_TRUE(some.know("orders"));
  EXPECT_FALSE(some.know("other"));
  EXPECT_FALSE(some.allow_everywhere(Right::kProduce));
  EXPECT_TRUE(rights({"all:*"}).allow_everywhere(Right::kAdminister));
}

class GuardTest : public ServerFixture {
 protected:
  GuardTest() {
    must(engine_->create_queue("orders"));
    must(engine_->create_queue("other"));
  }

  // Checks a request that names `queue`, in a field or by a receipt. A receipt of another's queue passes
  // here, since it is concealed later.
  Result<void> check(const Rights& who, std::uint16_t method, const std::string& queue) {
    capnp::MallocMessageBuilder message;
    const auto type = protocol::methods()[method].getParamType();
    auto request = message.initRoot<capnp::DynamicStruct>(type);
    for (auto field : type.getFields()) {
      const std::string name = field.getProto().getName().cStr();
      if (name == "queue" || name == "name") request.set(field, queue.c_str());
      if (name == "receipts") {
        auto receipt = request.init(field, 1).as<capnp::DynamicList>()[0].as<capnp::DynamicStruct>();
        receipt.set("queue", static_cast<std::uint64_t>(must(engine_->describe_queue(queue)).id));
      }
    }
    return check_call(who, find_method(method)->rule, request.asReader());
  }
};

bool has_receipts(capnp::InterfaceSchema::Method method) {
  return method.getParamType().findFieldByName("receipts") != nullptr;
}

TEST_F(GuardTest, EachCallIsRefusedWithoutItsRight) {
  const std::map<char, std::string> letters = {
      {'p', "produce"}, {'c', "consume"}, {'o', "operate"}, {'a', "administer"}};
  for (auto method : protocol::methods()) {
    const std::string name = method.getProto().getName().cStr();
    SCOPED_TRACE(name);
    ASSERT_TRUE(needs().contains(name)) << "say here what it needs";
    const char need = needs().at(name);
    for (const auto& [letter, right] : letters) {
      SCOPED_TRACE(right);
      const bool anywhere = need == '.' || need == '*';
      const bool here = anywhere || need == '?' || need == letter;
      const bool everywhere = here || need == std::toupper(letter);
      EXPECT_EQ(check(rights({right + ":orders"}),
                      protocol::method_number(method.getProto().getName().cStr()), "orders")
                    .has_value(),
                here);
      EXPECT_EQ(
          check(rights({right + ":*"}), protocol::method_number(method.getProto().getName().cStr()), "orders")
              .has_value(),
          everywhere);
      EXPECT_EQ(check(rights({right + ":orders"}),
                      protocol::method_number(method.getProto().getName().cStr()), "other")
                    .has_value(),
                anywhere || (here && has_receipts(method)));
      if (need == letter) {
        EXPECT_TRUE(check(rights({right + ":or*"}),
                          protocol::method_number(method.getProto().getName().cStr()), "orders")
                        .has_value());
      }
    }
    EXPECT_EQ(
        check(Rights{}, protocol::method_number(method.getProto().getName().cStr()), "orders").has_value(),
        need == '.');
  }
}

class NamedTest : public GuardTest {
 protected:
  template <class Params, class Fill>
  ErrorCode outcome(const Rights& who, const char* method, Fill fill) {
    capnp::MallocMessageBuilder message;
    fill(message.initRoot<Params>());
    const auto type = capnp::Schema::from<Params>();
    auto ok = check_call(who, find_method(protocol::method_number(method))->rule,
                         message.getRoot<capnp::DynamicStruct>(type).asReader());
    return ok ? ErrorCode{} : ok.error().code;
  }
};

TEST_F(NamedTest, QueuesThatMessagesWouldGoToAreCheckedToo) {
  const auto who = rights({"administer,operate:orders*", "produce:other"});
  EXPECT_EQ(outcome<wire::CreateQueueRequest>(who, "createQueue",
                                              [](auto to) {
                                                to.setName("orders");
                                                to.initOptions().setDeadLetterQueue("orders-dlq");
                                              }),
            ErrorCode{});
  EXPECT_EQ(outcome<wire::CreateQueueRequest>(who, "createQueue",
                                              [](auto to) {
                                                to.setName("orders");
                                                to.initOptions().setDeadLetterQueue("other");
                                              }),
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(outcome<wire::CreateQueueRequest>(who, "createQueue",
                                              [](auto to) {
                                                to.setName("orders");
                                                to.initOptions().initDeadLetterRoutes(1)[0].setQueue("third");
                                              }),
            ErrorCode::kQueueNotFound);
  EXPECT_EQ(outcome<wire::AlterQueueRequest>(who, "alterQueue",
                                             [](auto to) {
                                               to.setName("orders");
                                               to.getParkingQueue().setSet("other");
                                             }),
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(outcome<wire::AlterQueueRequest>(who, "alterQueue",
                                             [](auto to) {
                                               to.setName("orders");
                                               to.getDeadLetterRoutes().initSet(1)[0].setQueue("other");
                                             }),
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(outcome<wire::AlterQueueRequest>(who, "alterQueue",
                                             [](auto to) {
                                               to.setName("orders");
                                               to.getDeadLetterQueue().setSet("orders-dlq");
                                             }),
            ErrorCode{});
  EXPECT_EQ(outcome<wire::RedriveRequest>(who, "redrive",
                                          [](auto to) {
                                            to.setQueue("orders-dlq");
                                            to.initOptions().setTo("other");
                                          }),
            ErrorCode::kPermissionDenied);
}

// An entry of a list may take no bytes in a message, so the guard reads no more of them than the engine may
// get. The engine refuses the rest.
TEST_F(NamedTest, RoutesPastTheirLimitAreRefusedUnread) {
  const auto who = rights({"administer:orders*"});
  const auto last_is_foreign = [](unsigned count, auto to) {
    to.setName("orders");
    auto routes = to.getDeadLetterRoutes().initSet(count);
    for (auto route : routes) route.setQueue("orders-dlq");
    routes[count - 1].setQueue("other");
  };
  const auto outcome_of = [&](unsigned count) {
    return outcome<wire::AlterQueueRequest>(who, "alterQueue", [&](auto to) { last_is_foreign(count, to); });
  };
  EXPECT_EQ(outcome_of(limits::kDeadLetterRoutes), ErrorCode::kQueueNotFound);
  EXPECT_EQ(outcome_of(limits::kDeadLetterRoutes + 1), ErrorCode::kQueueNotFound);
  EXPECT_EQ(outcome_of(limits::kDeadLetterRoutes + 2), ErrorCode{});

  start({.tokens = tokens_of({token_with("token", "somebody", "administer:orders*")})});
  auto client = connect();
  auto authenticate = client->broker().authenticateRequest();
  authenticate.setToken("token");
  auto broker = authenticate.send().wait(scope_).getBroker();
  auto alter = broker.alterQueueRequest();
  last_is_foreign(limits::kDeadLetterRoutes + 2, wire::AlterQueueRequest::Builder(alter));
  EXPECT_EQ(convert::read(alter.send().wait(scope_).getError()).code, ErrorCode::kLimitExceeded);
}

TEST_F(NamedTest, AttributesOfAFilterPastTheirLimitAreRefusedUnread) {
  auto who = rights({"operate:orders"});
  who.hidden.attributes = {"card"};
  const auto last_is_hidden = [](unsigned count, wire::ListDeadLettersRequest::Builder to) {
    to.setQueue("orders");
    auto attributes = to.initFilter().initAttributes(count);
    for (auto attribute : attributes) attribute.setName("colour");
    attributes[count - 1].setName("card");
  };
  const auto outcome_of = [&](unsigned count) {
    return outcome<wire::ListDeadLettersRequest>(who, "listDeadLetters",
                                                 [&](auto to) { last_is_hidden(count, to); });
  };
  EXPECT_EQ(outcome_of(limits::kAttributes + 1), ErrorCode::kPermissionDenied);
  EXPECT_EQ(outcome_of(limits::kAttributes + 2), ErrorCode{});

  start({.tokens = tokens_of({{.hash = hash_of("token"), .rights = who}})});
  auto client = connect();
  auto authenticate = client->broker().authenticateRequest();
  authenticate.setToken("token");
  auto broker = authenticate.send().wait(scope_).getBroker();
  auto list = broker.listDeadLettersRequest();
  last_is_hidden(limits::kAttributes + 2, list);
  EXPECT_EQ(convert::read(list.send().wait(scope_).getError()).code, ErrorCode::kLimitExceeded);
}

TEST_F(NamedTest, WhatMayNotBeMadeIsNotSaidNotToBeThere) {
  const auto who = rights({"administer:orders"});
  const auto named = [](auto to) { to.setName("third"); };
  EXPECT_EQ(outcome<wire::CreateQueueRequest>(who, "createQueue", named), ErrorCode::kPermissionDenied);
}

TEST_F(NamedTest, APolicyThatGivesBackToTheTailNamesNoQueue) {
  const auto who = rights({"administer:orders"});
  EXPECT_EQ(outcome<wire::CreateQueueRequest>(who, "createQueue",
                                              [](auto to) {
                                                to.setName("orders");
                                                to.initOptions().initRetry().setTo(wire::ReturnTo::TAIL);
                                              }),
            ErrorCode{});
  EXPECT_EQ(outcome<wire::AlterQueueRequest>(who, "alterQueue",
                                             [](auto to) {
                                               to.setName("orders");
                                               to.getRetry().initSet();
                                             }),
            ErrorCode{});
}

TEST_F(NamedTest, WhoMayConsumeNothingSettlesNothing) {
  const auto made_up = [](auto to) { to.initReceipts(1)[0].setQueue(4711); };
  EXPECT_EQ(outcome<wire::AckRequest>(rights({"consume:orders"}), "ackBatch", made_up), ErrorCode{});
  EXPECT_EQ(outcome<wire::AckRequest>(rights({"produce:*"}), "ackBatch", made_up),
            ErrorCode::kPermissionDenied);
}

TEST_F(GuardTest, ReceiptsOfOtherQueuesBecomeReceiptsOfNone) {
  const auto id = [&](const char* queue) { return must(engine_->describe_queue(queue)).id; };
  std::vector<Receipt> receipts;
  for (const QueueId queue : {id("orders"), id("other"), QueueId{4711}, id("orders")})
    receipts.push_back({.queue = queue, .seq = Seq{7}});
  const auto content = [](const Receipt& receipt) { return ContentHash().add(receipt).value(); };
  auto handed_on = receipts;
  conceal_others(rights({"consume:orders", "all:log-*"}), handed_on, *engine_);
  EXPECT_EQ(handed_on[0], receipts[0]);
  for (const std::size_t others : {1U, 2U}) {
    EXPECT_EQ(handed_on[others].queue, concealed(receipts[others].queue));
    EXPECT_EQ(content(handed_on[others]), content(receipts[others]));
  }
  EXPECT_EQ(handed_on[3], receipts[3]);
  // Other rights on the queue do not help.
  handed_on = receipts;
  conceal_others(rights({"produce,operate,administer:*"}), handed_on, *engine_);
  for (const Receipt& receipt : handed_on)
    EXPECT_THAT(engine_->ack(receipt), FailsWith(ErrorCode::kMessageNotFound));
}

// The loop's thread does this for every client that it serves.
TEST(ConcealOthers, WaitsForNoCommit) {
  const auto hold = std::make_shared<Hold>();
  Engine engine = must(EngineInside::open_over(
      std::make_unique<HeldStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), hold),
      {.background = false}));
  for (const char* queue : {"orders", "other", "leaving"}) must(engine.create_queue(queue));
  const auto id = [&](const char* queue) { return must(engine.describe_queue(queue)).id; };
  const QueueId other = id("other");
  const QueueId leaving = id("leaving");
  hold->arm();
  std::thread deletion([&] { must(engine.delete_queue("leaving")); });
  hold->wait_until_held();
  std::vector<Receipt> receipts{{.queue = other}, {.queue = leaving}, {.queue = QueueId{4711}}};
  conceal_others(rights({"consume:orders", "consume:leaving"}), receipts, engine);
  hold->go_on();
  deletion.join();
  EXPECT_EQ(receipts[0].queue, concealed(other));
  EXPECT_EQ(receipts[1].queue, leaving) << "its deletion may still fail";
  EXPECT_EQ(receipts[2].queue, concealed(QueueId{4711}));
  conceal_others(rights({"consume:orders", "consume:leaving"}), receipts, engine);
  EXPECT_EQ(receipts[1].queue, concealed(leaving));
}

// Fills the fields of a request. Of a union it fills the last member, which is the one that says something.
void fill(capnp::DynamicStruct::Builder to) {
  using Which = capnp::schema::Type::Which;
  for (auto field : to.getSchema().getFields()) {
    switch (field.getType().which()) {
      case Which::TEXT:
        to.set(field, "orders");
        break;
      case Which::ENUM:
        to.set(field, capnp::DynamicEnum(field.getType().asEnum(), 1));
        break;
      case Which::STRUCT:
        fill(to.init(field).as<capnp::DynamicStruct>());
        break;
      case Which::LIST: {
        auto list = to.init(field, 1).as<capnp::DynamicList>();
        const auto element = field.getType().asList().getElementType();
        if (element.isText()) list.set(0, "orders");
        if (element.isStruct()) fill(list[0].as<capnp::DynamicStruct>());
        break;
      }
      default:
        break;
    }
  }
}

TEST_F(GuardTest, EachCallIsUnderstoodWithAllThatItCanSay) {
  for (auto method : protocol::methods()) {
    SCOPED_TRACE(method.getProto().getName().cStr());
    capnp::MallocMessageBuilder message;
    auto request = message.initRoot<capnp::DynamicStruct>(method.getParamType());
    fill(request);
    EXPECT_TRUE(check_call(rights({"all:*"}),
                           find_method(protocol::method_number(method.getProto().getName().cStr()))->rule,
                           request.asReader()));
  }
}

}  // namespace
}  // namespace holdfast::server
