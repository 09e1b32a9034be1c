// A token can hide parts of messages from its holder. No call shows what is hidden, and none changes it
// unseen.
#include <capnp/dynamic.h>
#include <kj/string.h>

#include <set>

#include "holdfast/client.h"
#include "holdfast/dead_letter_worker.h"
#include "schema/convert/messages/push_conversion.h"
#include "schema/protocol/protocol_methods.h"
#include "tests/server/server_fixture.h"
#include "tests/server/tokens.h"

namespace holdfast::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class HiddenTest : public ServerFixture {
 protected:
  HiddenTest() {
    must(engine_->create_queue("dlq", {.dead_letters = {.searched_attributes = {"card"}}}));
    must(engine_->create_queue("parked"));
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dlq", .parking_queue = "parked"}},
                               MissingQueues::kCreate));
    must(engine_->alter_queue("dlq", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
    fill();
    const Rights night{
        .name = "night",
        .grants = {must(parse_grant("produce,operate,administer:*"))},
        .hidden = {.bodies = true, .attributes = {"card", "correlation-id", "workflow-version"}}};
    start({.tokens =
               tokens_of({{.hash = hash_of("night"), .rights = night}, token_with("ops", "ops", "all:*")})});
  }

  static Message secret(const std::string& name) {
    return {.body = "SECRET body of " + name,
            .attributes = {{"card", "SECRET card"},
                           {"correlation-id", "SECRET id"},
                           {"workflow-version", "SECRET version"},
                           {"colour", "blue"}}};
  }
  void die(const Message& message) {
    must(engine_->send("orders", message));
    must(engine_->reject(must(engine_->receive("orders")).front().receipt,
                         {.category = "timeout", .reason = "why", .partial_output = "SECRET output"}));
  }
  // Makes messages of every kind: dead, edited, history, waiting and ready.
  void fill() {
    die(secret("edited"));
    must(engine_->redrive("dlq", {.edit = {.body = "SECRET edit"}}));
    must(engine_->reject(must(engine_->receive("orders")).front().receipt, {.category = "timeout"}));
    die(secret("acked"));
    must(engine_->redrive("dlq", {.filter = {.seqs = {newest().seq}}}));
    must(engine_->ack(must(engine_->receive("orders")).front().receipt));
    die(secret("dead"));
    must(engine_->send("orders", secret("ready")));
    Message waiting = secret("waiting");
    waiting.delay = 1h;
    must(engine_->send("orders", waiting));
  }
  DeadLetter newest() {
    return must(engine_->list_dead_letters("dlq", {.max = 1, .bodies = true, .newest_first = true}))
        .items.at(0);
  }

  Client client(const std::string& token) {
    return must(Client::connect(server_->addresses().front(), {.token = token}));
  }
  wire::Broker::Client broker(RawClient& raw, const std::string& token) {
    auto who = raw.broker().authenticateRequest();
    who.setToken(token);
    return who.send().wait(scope_).getBroker();
  }

  // Makes a call that asks for as much as there is. Returns the answer as text.
  std::string answer(capnp::DynamicCapability::Client& broker, capnp::InterfaceSchema::Method method,
                     const std::string& queue, bool scheduled) {
    auto request = broker.newRequest(method);
    for (auto field : method.getParamType().getFields()) {
      const std::string name = field.getProto().getName().cStr();
      if (name == "queue") request.set(field, queue.c_str());
      if (name == "bodies") request.set(field, true);
      if (name == "scheduled") request.set(field, scheduled);
      if (name == "by") request.set(field, "status");
      if (name == "options") request.init(field).as<capnp::DynamicStruct>().set("dryRun", true);
      if (name == "filter") request.init(field).as<capnp::DynamicStruct>().set("history", true);
    }
    return kj::str(request.send().wait(scope_)).cStr();
  }
};

// Returns whether a struct of the protocol can have a part of a message in it.
bool has_content(capnp::StructSchema type, std::set<std::string>& seen) {
  if (!seen.insert(type.getProto().getDisplayName().cStr()).second) return false;
  for (auto field : type.getFields()) {
    const std::string name = field.getProto().getName().cStr();
    if (name == "body" || name == "attributes" || name == "partialOutput") return true;
    capnp::Type of = field.getType();
    while (of.isList()) of = of.asList().getElementType();
    if (of.isStruct() && has_content(of.asStruct(), seen)) return true;
  }
  return false;
}

TEST_F(HiddenTest, NoAnswerHasIt) {
  const auto raw = connect();
  capnp::DynamicCapability::Client night = broker(*raw, "night");
  capnp::DynamicCapability::Client ops = broker(*raw, "ops");
  std::set<std::string> with_content;
  for (auto method : protocol::methods()) {
    const std::string name = method.getProto().getName().cStr();
    SCOPED_TRACE(name);
    std::set<std::string> seen;
    if (!has_content(method.getResultType(), seen)) continue;
    with_content.insert(name);
    std::string shown;
    for (const auto& [queue, scheduled] :
         {std::pair{"dlq", false}, std::pair{"orders", true}, std::pair{"orders", false}}) {
      EXPECT_THAT(answer(night, method, queue, scheduled), Not(HasSubstr("SECRET")));
      shown += answer(ops, method, queue, scheduled);
    }
    EXPECT_THAT(shown, HasSubstr("SECRET")) << "or this test asks for too little";
  }
  EXPECT_THAT(with_content, ElementsAre("findDeadLetters", "groupDeadLetters", "listDeadLetters", "peek",
                                        "receive", "redrive"))
      << "say in its row what this shows";
}

TEST_F(HiddenTest, WhatIsNotHiddenIsShownAndSaysWhatIsMissing) {
  Client night = client("night");
  const DeadLetter letter = must(night.get_dead_letter("dlq", newest().seq));
  EXPECT_EQ(letter.record.category, "timeout");
  EXPECT_EQ(letter.record.reason, "why");
  EXPECT_EQ(letter.attributes,
            (Attributes{{"card", ""}, {"correlation-id", ""}, {"workflow-version", ""}, {"colour", "blue"}}));
  const auto named = ElementsAre("body", "partial_output", "attribute card", "attribute correlation-id",
                                 "attribute workflow-version");
  EXPECT_THAT(letter.redacted, named);
  EXPECT_THAT(must(night.redrive("dlq", {.dry_run = true})).sample.at(0).redacted, named);
  EXPECT_THAT(must(night.group_dead_letters("dlq")).groups.at(0).sample.redacted, named);
  const PeekedMessage peeked = must(night.peek("orders", {.bodies = true})).items.at(0);
  EXPECT_EQ(peeked.attributes.back(), (Attribute{"colour", "blue"}));
  EXPECT_EQ(peeked.redacted.front(), "body");
  // What the caller leaves out is added to what the token hides.
  EXPECT_THAT(must(night.get_dead_letter("dlq", newest().seq, {.attributes = {"colour", "card"}})).redacted,
              ElementsAre("body", "partial_output", "attribute colour", "attribute card",
                          "attribute correlation-id", "attribute workflow-version"));
}

// The result of a search would tell what is hidden.
TEST_F(HiddenTest, NobodyAsksForWhatTheyMayNotSee) {
  Client night = client("night");
  const auto refused = [&](const DeadLetterFilter& filter, const std::string& what) {
    const auto denied = FailsNaming(ErrorCode::kPermissionDenied, "filter." + what);
    EXPECT_THAT(night.find_dead_letters({.filter = filter}), denied);
    EXPECT_THAT(night.list_dead_letters("dlq", {.filter = filter}), denied);
    EXPECT_THAT(night.group_dead_letters("dlq", {.filter = filter}), denied);
    EXPECT_THAT(night.redrive("dlq", {.filter = filter}), denied);
    EXPECT_THAT(night.discard_dead_letters("dlq", {.filter = filter}), denied);
  };
  refused({.body = "SECRET"}, "body");
  refused({.correlation_id = "SECRET id"}, "correlation_id");
  refused({.workflow_version = "SECRET version"}, "workflow_version");
  refused({.attributes = {{"card", "SECRET card"}}}, "attributes");
  EXPECT_FALSE(must(night.find_dead_letters({.filter = {.attributes = {{"colour", "blue"}}}})).items.empty());
}

TEST_F(HiddenTest, TriageAndRedriveGoOn) {
  Client night = client("night");
  const Seq seq = newest().seq;
  const DeadLetterSelection one{.filter = {.seqs = {seq}}, .actor = "ann"};
  EXPECT_EQ(must(night.change_dead_letters("dlq", one, {.assignee = "ann", .note = "looked"})).changed, 1U);
  EXPECT_EQ(must(night.redrive("dlq", {.dry_run = true})).moved, 2U);
  EXPECT_EQ(must(night.redrive("dlq", {.action = RedriveAction::kPark, .filter = {.seqs = {seq}}})).parked,
            1U);
  EXPECT_EQ(
      must(night.redrive("parked", {.to = "orders", .edit = {.set_attributes = {{"colour", "red"}}}})).moved,
      1U);
  // The messages are whole except for the edit.
  std::vector<std::string> bodies;
  const PeekPage page = must(engine_->peek("orders", {.bodies = true}));
  for (const PeekedMessage& message : page.items)
    bodies.push_back(message.body + ", " + message.attributes.at(0).value + ", " +
                     message.attributes.back().value);
  EXPECT_THAT(bodies, ElementsAre("SECRET body of ready, SECRET card, blue",
                                  "SECRET body of dead, SECRET card, red"));
  EXPECT_EQ(must(night.discard_dead_letters("dlq", {.all = true})).changed, 1U);
}

TEST_F(HiddenTest, WhoCancelsIsNamedByTheToken) {
  // The task waits for what becomes of the first message.
  const TaskId task = must(client("ops").redrive("dlq", {.canary = 1, .wait = false, .actor = "bob"})).task;
  const TaskStatus cancelled = must(client("night").cancel_redrive(task, "ann"));
  EXPECT_EQ(cancelled.actor, "ops (bob)");
  EXPECT_EQ(cancelled.cancelled_by, "night (ann)");
}

TEST_F(HiddenTest, NothingIsChangedUnseen) {
  Client night = client("night");
  const auto refused = [&](const RedriveEdit& edit, const std::string& what) {
    const auto denied = FailsNaming(ErrorCode::kPermissionDenied, "edit." + what);
    for (const RedriveAction action : {RedriveAction::kRedrive, RedriveAction::kPark}) {
      EXPECT_THAT(night.redrive("dlq", {.action = action, .edit = edit}), denied);
      EXPECT_THAT(night.redrive("dlq", {.action = action, .edit = edit, .wait = false}), denied);
      EXPECT_THAT(night.redrive("dlq", {.action = action, .edit = edit, .dry_run = true}), denied);
    }
  };
  refused({.body = "new"}, "body");
  refused({.json_patch = R"([{"op":"test","path":"","value":1}])"}, "json_patch");
  refused({.set_attributes = {{"colour", "red"}, {"card", "4111"}}}, "set_attributes: 'card'");
  refused({.drop_attributes = {"card"}}, "drop_attributes: 'card'");
  refused({.value_attributes = {{"card", RedriveValue::kTime}}}, "value_attributes: 'card'");
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, 2U);
}

TEST_F(HiddenTest, MessagesAreHandedOutToOthers) {
  Client night = client("night");
  const Error error = night.receive("orders").error();
  EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(error.message, "'night' may not see whole messages, which this call returns");
  EXPECT_EQ(night.subscribe("orders").error().code, ErrorCode::kPermissionDenied);
  must(night.send("orders", {.body = "x"}));
}

// If the worker archived such a letter, the letter's only copy would be deleted without what is hidden.
TEST_F(HiddenTest, AWorkerArchivesNothingThatItCannotSee) {
  Client night = client("night");
  std::vector<std::string> failures;
  auto worker = must(DeadLetterWorker::make(
      night,
      {.queue = "dlq",
       .fallback = [](const DeadLetter&) { return Remedy::archive(); },
       .archive = directory_ / "archive",
       .on_failure = [&](const DeadLetter*, const Error& error) { failures.push_back(error.message); }}));
  (void)worker.run_once();
  EXPECT_THAT(failures, ::testing::Each(HasSubstr("a part of the message is hidden from this worker")));
  EXPECT_EQ(failures.size(), 1U) << "the other was redriven before, and waits";
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, 2U);
}

}  // namespace
}  // namespace holdfast::server
