// The seeds of the fuzzer of connections: what a client may say to the server of rpc.cc.
#include <capnp/capability.h>
#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/rpc.capnp.h>
#include <capnp/schema.h>
#include <capnp/serialize.h>
#include <kj/debug.h>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/dead_letters/dead_letter_query_conversion.h"
#include "schema/convert/dead_letters/redrive_conversion.h"
#include "schema/convert/messages/message_history_conversion.h"
#include "schema/convert/messages/peek_conversion.h"
#include "schema/convert/messages/push_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/queues/queue_conversion.h"
#include "schema/protocol/protocol_methods.h"
#include "tests/fuzz/rpc_found.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/wire_samples.h"

namespace holdfast::fuzz {
namespace {

using RpcMessage = capnp::rpc::Message::Builder;
using Params = capnp::DynamicStruct::Builder;

template <class Fill>
std::string message(Fill&& fill) {
  capnp::MallocMessageBuilder builder;
  fill(builder.initRoot<capnp::rpc::Message>());
  const auto words = capnp::messageToFlatArray(builder);
  const auto chars = words.asChars();
  return {chars.begin(), chars.size()};
}

std::string bootstrap() {
  return message([](RpcMessage root) { root.initBootstrap().setQuestionId(0); });
}

// The answer to a question, or what one of the answer's pointers leads to.
struct Answer {
  std::uint32_t question = 0;
  std::optional<std::uint16_t> pointer = {};
};

// Returns a call of the broker that bootstrap() asked for, or of another callee.
template <class Fill>
std::string call(std::uint32_t question, const capnp::InterfaceSchema::Method& method, Fill&& fill_params,
                 const Answer& callee = {}) {
  return message([&](RpcMessage root) {
    auto call = root.initCall();
    call.setQuestionId(question);
    auto target = call.initTarget().initPromisedAnswer();
    target.setQuestionId(callee.question);
    if (callee.pointer) target.initTransform(1)[0].setGetPointerField(*callee.pointer);
    call.setInterfaceId(method.getContainingInterface().getProto().getId());
    call.setMethodId(method.getOrdinal());
    auto payload = call.initParams();
    capnp::BuilderCapabilityTable exported;
    const auto params =
        exported.imbue(payload.getContent()).initAs<capnp::DynamicStruct>(method.getParamType());
    fill_params(params);
    if (method.getParamType() == capnp::Schema::from<wire::SubscribeRequest>()) {
      Params(params).as<wire::SubscribeRequest>().setSink(
          wire::DeliverySink::Client(KJ_EXCEPTION(UNIMPLEMENTED, "it has but a number")));
    }
    const auto count = static_cast<unsigned>(exported.getTable().size());
    if (count == 0) return;
    auto table = payload.initCapTable(count);
    for (unsigned i = 0; i < count; ++i) table[i].setSenderHosted(i);
  });
}

using Say = std::function<void(Params)>;

template <class Request, class Fill>
Say say(Fill fill) {
  return [fill](Params params) { fill(params.as<Request>()); };
}

// Returns the arguments with which calls succeed that need more than the name of a queue.
std::map<std::string_view, Say> wants(const Found& found) {
  const std::vector<Receipt> receipts{found.receipt};
  const auto sends = [](auto to) {
    to.setName(kQueue);
    to.setSends(true);
  };
  return {
      {"authenticate", say<wire::AuthenticateRequest>([](auto to) { to.setToken(night().name); })},
      {"createQueue", say<wire::CreateQueueRequest>([](auto to) { to.setName("invoices"); })},
      {"deleteQueue", say<wire::DeleteQueueRequest>([](auto to) { to.setName(kSource); })},
      {"pauseQueue", say<wire::PauseRequest>(sends)},
      {"resumeQueue", say<wire::PauseRequest>(sends)},
      {"sendBatch", say<wire::SendRequest>([](auto to) {
         to.setQueue(kQueue);
         to.initMessages(1);
       })},
      {"ackBatch", say<wire::AckRequest>([=](auto to) { convert::write(receipts, SettleOptions{}, to); })},
      {"extendBatch", say<wire::ExtendRequest>([=](auto to) {
         convert::write(receipts, Duration(std::chrono::minutes(1)), ExtendOptions{}, to);
       })},
      {"releaseBatch",
       say<wire::ReleaseRequest>([=](auto to) { convert::write(receipts, ReleaseOptions{}, to); })},
      {"rejectBatch", say<wire::RejectRequest>(
                          [=](auto to) { convert::write(receipts, Rejection{}, SettleOptions{}, to); })},
      {"startBatch", say<wire::StartRequest>([=](auto to) { convert::write(receipts, to); })},
      {"subscribe",
       say<wire::SubscribeRequest>([](auto to) { convert::write(kQueue, ReceiveOptions{}, to); })},
      {"groupDeadLetters", say<wire::GroupDeadLettersRequest>(
                               [](auto to) { convert::write(kQueue, GroupDeadLettersOptions{}, to); })},
      {"changeDeadLetters", say<wire::ChangeDeadLettersRequest>([](auto to) {
         convert::write(kQueue, {.selection = {.all = true}}, {.note = "looked at"}, to);
       })},
      {"discardDeadLetters", say<wire::DiscardDeadLettersRequest>(
                                 [](auto to) { convert::write(kQueue, {.selection = {.all = true}}, to); })},
      {"importDeadLetters", say<wire::ImportDeadLettersRequest>([letter = found.letter](auto to) {
         convert::write(kDead, std::vector{letter}, to);
       })},
      {"redriveStatus", say<wire::TaskRequest>([task = found.task](auto to) { convert::write(task, to); })},
      {"cancelRedrive",
       say<wire::CancelRedriveRequest>([task = found.task](auto to) { convert::write(task, "", to); })},
      {"messageHistory",
       say<wire::MessageHistoryRequest>([id = found.message](auto to) { convert::write(id, to); })},
  };
}

void name_queue(Params params) {
  for (const char* name : {"queue", "name"}) {
    KJ_IF_MAYBE (field, params.getSchema().findFieldByName(name)) params.set(*field, kQueue);
  }
}

// Returns the fewest arguments with which a call succeeds.
Say enough_for(capnp::InterfaceSchema::Method method, const std::map<std::string_view, Say>& wanted) {
  const auto name = method.getProto().getName();
  const auto want = wanted.find(std::string_view(name.begin(), name.size()));
  return want == wanted.end() ? Say(name_queue) : want->second;
}

capnp::InterfaceSchema::Method method_named(const char* name) {
  return protocol::methods()[protocol::method_number(name)];
}

// Returns the offset of the pointer in which a reply gives a capability.
template <class Reply>
std::uint16_t pointer_to(const char* field) {
  const auto given = capnp::Schema::from<Reply>().getFieldByName(field);
  return static_cast<std::uint16_t>(given.getProto().getSlot().getOffset());
}

// Returns a subscription and a grant of more credit for it.
std::string subscribe_and_grant(const Say& subscription) {
  const auto grant = capnp::Schema::from<wire::Subscription>().getMethodByName("grant");
  const Answer given{.question = 1, .pointer = pointer_to<wire::SubscribeReply>("subscription")};
  return bootstrap() + call(1, method_named("subscribe"), subscription) +
         call(
             2, grant, [](Params params) { params.set("count", 1); }, given);
}

// The messages of a connection that shows a guest's token and then calls.
class Visit {
 public:
  explicit Visit(const Guest& guest)
      : said_(bootstrap() +
              call(1, method_named("authenticate"),
                   say<wire::AuthenticateRequest>([name = guest.name](auto to) { to.setToken(name); }))) {}

  // Adds a call. Its number is 2 or higher, because the bootstrap and the authentication have 0 and 1.
  Visit& ask(std::uint32_t question, const capnp::InterfaceSchema::Method& method, const Say& arguments) {
    const Answer broker{.question = 1, .pointer = pointer_to<wire::AuthenticateReply>("broker")};
    said_ += call(question, method, arguments, broker);
    return *this;
  }
  template <class Request, class Fill>
  Visit& ask(std::uint32_t question, const char* method, Fill fill) {
    return ask(question, method_named(method), say<Request>(fill));
  }

  const std::string& said() const { return said_; }

 private:
  std::string said_;
};

// Adds a seed for each call that the guest may make, and one with all calls that are refused.
void add_calls_of(const Guest& guest, const Found& found, std::vector<std::string>& seeds) {
  const auto wanted = wants(found);
  const auto say_all = [&](Params params) { fill(params, found.receipt); };
  Visit refused(guest);
  std::uint32_t number = kMustBeRefused;
  for (const auto method : protocol::methods()) {
    const Say enough = enough_for(method, wanted);
    const auto name = method.getProto().getName();
    if (guest.may.contains(std::string_view(name.begin(), name.size()))) {
      seeds.push_back(Visit(guest).ask(2, method, enough).ask(kMayFail, method, say_all).said());
    } else {
      refused.ask(number++, method, enough);
    }
  }
  seeds.push_back(refused.said());
}

// Returns acks of receipts of the worker's own queue, of no queue at all, and of somebody else's queue.
std::string settle_lists(const Found& found) {
  const Receipt made_up{QueueId{77}, Seq{1}, LeaseId{1}};
  const auto acks = [](std::vector<Receipt> receipts) {
    return [receipts = std::move(receipts)](wire::AckRequest::Builder to) {
      convert::write(receipts, SettleOptions{}, to);
    };
  };
  return Visit(worker())
      .ask<wire::AckRequest>(kMayFail, "ackBatch", acks({found.receipt, made_up, found.foreign}))
      .ask<wire::AckRequest>(kMayFail + 1, "ackBatch", acks({made_up, found.receipt, made_up}))
      .said();
}

std::string import_letters(const Found& found) {
  const auto imports = [&](std::initializer_list<const char*> sources) {
    std::vector<DeadLetter> letters;
    for (const char* source : sources) letters.emplace_back(found.letter).record.source_queue = source;
    return [letters = std::move(letters)](wire::ImportDeadLettersRequest::Builder to) {
      convert::write(kDead, letters, to);
    };
  };
  using Request = wire::ImportDeadLettersRequest;
  return Visit(night())
      .ask<Request>(kMustBeRefused, "importDeadLetters", imports({kQueue, kSource}))
      .ask<Request>(kMustBeRefused + 1, "importDeadLetters", imports({"elsewhere"}))
      .ask<Request>(2, "importDeadLetters", imports({kQueue, kDead, ""}))
      .said();
}

// Returns redrives that edit what is hidden from the caller, and what is not.
std::string redrive_edited() {
  using Request = wire::RedriveRequest;
  const auto edits = [](RedriveEdit edit) {
    return [edit = std::move(edit)](Request::Builder to) {
      convert::write(kQueue, RedriveOptions{.to = kDead, .edit = edit}, to);
    };
  };
  return Visit(night())
      .ask<Request>(kMustBeRefused, "redrive", edits({.body = "new"}))
      .ask<Request>(kMustBeRefused + 1, "redrive", edits({.json_patch = "[]"}))
      .ask<Request>(kMustBeRefused + 2, "redrive", edits({.set_attributes = {{kHiddenAttribute, ""}}}))
      .ask<Request>(kMustBeRefused + 3, "redrive", edits({.drop_attributes = {"a", kHiddenAttribute}}))
      .ask<Request>(2, "redrive",
                    edits({.set_attributes = {{"colour", "blue"}}, .drop_attributes = {"shape"}}))
      .said();
}

// Returns calls that lead to a queue that the caller may not operate or administer, and calls that lead to
// others.
std::string name_targets() {
  const auto redrive_to = [](const char* target) {
    return [target](wire::RedriveRequest::Builder to) {
      convert::write(kQueue, RedriveOptions{.to = target, .wait = false}, to);
    };
  };
  const auto change = [](const QueueChanges& changes) {
    return [changes](wire::AlterQueueRequest::Builder to) {
      convert::write(kQueue, changes, MissingQueues::kCreate, to);
    };
  };
  const auto route_to = [](const char* queue) { return std::vector{DeadLetterRoute{"timeout", queue}}; };
  return Visit(night())
      .ask<wire::RedriveRequest>(kMustBeRefused, "redrive", redrive_to(kSource))
      .ask<wire::RedriveRequest>(2, "redrive", redrive_to(kDead))
      .ask<wire::AlterQueueRequest>(kMustBeRefused + 1, "alterQueue",
                                    change({.dead_letters = {.parking_queue = "elsewhere"}}))
      .ask<wire::AlterQueueRequest>(kMustBeRefused + 2, "alterQueue",
                                    change({.dead_letters = {.routes = route_to(kSource)}}))
      .ask<wire::AlterQueueRequest>(3, "alterQueue",
                                    change({.retry = {.policy = RetryPolicy{.to = ReturnTo::kTail}},
                                            .dead_letters = {.queue = kDead, .routes = route_to(kDead)}}))
      .said();
}

// Returns calls that show messages whose content is hidden from the caller.
std::string browse_hidden() {
  using List = wire::ListDeadLettersRequest;
  return Visit(night())
      .ask<List>(2, "listDeadLetters",
                 [](auto to) { convert::write(kQueue, ListDeadLettersOptions{.bodies = true}, to); })
      .ask<List>(3, "listDeadLetters",
                 [](auto to) {
                   convert::write(kQueue,
                                  ListDeadLettersOptions{.filter = {.status = DeadLetterStatus::kReplayed},
                                                         .bodies = true,
                                                         .redact = {.attributes = {"colour"}}},
                                  to);
                 })
      .ask<wire::PeekRequest>(4, "peek",
                              [](auto to) { convert::write(kQueue, PeekOptions{.bodies = true}, to); })
      .said();
}

}  // namespace

// Returns each call twice: with what it needs to succeed, and with every field set, which may be refused. A
// backup may always fail, because a store in memory makes none.
std::vector<std::string> rpc_seeds() {
  const Found found = what_is_found();
  const auto wanted = wants(found);
  const auto say_all = [&](Params params) { fill(params, found.receipt); };
  std::vector<std::string> seeds{bootstrap(), subscribe_and_grant(wanted.at("subscribe")),
                                 bootstrap() + call(1, method_named("sendBatch"), wanted.at("sendBatch")) +
                                     call(2, method_named("receive"), name_queue)};
  for (const auto method : protocol::methods()) {
    const bool may_fail = method.getProto().getName() == "backup";
    seeds.push_back(bootstrap() + call(may_fail ? kMayFail : 1, method, enough_for(method, wanted)));
    seeds.push_back(bootstrap() + call(kMayFail, method, say_all));
  }
  add_calls_of(night(), found, seeds);
  add_calls_of(worker(), found, seeds);
  for (std::string seed :
       {settle_lists(found), import_letters(found), redrive_edited(), name_targets(), browse_hidden()})
    seeds.push_back(std::move(seed));
  return seeds;
}

}  // namespace holdfast::fuzz
