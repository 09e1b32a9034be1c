#include "tests/client/cuts/repetitions.h"

#include <capnp/any.h>
#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>

#include <cstring>
#include <functional>
#include <optional>

#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/protocol/protocol_methods.h"

namespace holdfast::testing {
namespace {

using capnp::rpc::Message;

kj::Array<capnp::word> words_of(std::string_view bytes) {
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), words.size() * sizeof(capnp::word));
  return words;
}

// Passes on each message that has come whole, and keeps the rest in `pending`.
void read(std::string& pending, std::string_view more, const std::function<void(Message::Reader)>& each) {
  pending += more;
  const auto words = words_of(pending);
  std::size_t read = 0;
  while (read < words.size()) {
    const auto rest = words.slice(read, words.size());
    const std::size_t size = capnp::expectedSizeInWordsFromPrefix(rest);
    if (size > rest.size()) break;
    capnp::FlatArrayMessageReader message(rest.slice(0, size));
    each(message.getRoot<Message>());
    read += size;
  }
  pending.erase(0, read * sizeof(capnp::word));
}

// Returns the call's arguments, by which a repetition is known. A call that hands over a capability gives
// nothing, since each try hands over its own.
std::optional<std::string> arguments_of(const capnp::rpc::Call::Reader& call) {
  if (call.getParams().getCapTable().size() > 0) return std::nullopt;
  const auto words = call.getParams().getContent().getAs<capnp::AnyStruct>().canonicalize();
  const auto bytes = words.asBytes();
  return std::to_string(call.getInterfaceId()) + '.' + std::to_string(call.getMethodId()) + ':' +
         std::string(bytes.asChars().begin(), bytes.size());
}

// Returns the error of a reply. The replies of all methods have an `error`.
std::optional<Error> error_of(std::uint16_t method, const capnp::rpc::Payload::Reader& results) {
  const auto type = protocol::methods()[method].getResultType();
  const auto reply = results.getContent().getAs<capnp::DynamicStruct>(type);
  KJ_IF_MAYBE (which, reply.which()) {
    if (which->getProto().getName() == "error")
      return convert::read(reply.get("error").as<capnp::DynamicStruct>().as<wire::Error>());
  }
  return std::nullopt;
}

std::string kind_of(const Error& error) {
  if (error.code != ErrorCode::kOverloaded) return std::string(error_info(error.code).name);
  return error.message.substr(0, error.message.find(" have reached"));
}

}  // namespace

Repetitions::Ear::~Ear() {
  for (const auto& [question, asked] : asked_) repetitions_.left_without_answer(asked.arguments);
}

void Repetitions::Ear::hear_client(std::string_view bytes) {
  read(from_client_, bytes, [this](Message::Reader message) {
    if (!message.isCall()) return;
    const auto call = message.getCall();
    const auto method = protocol::find_method_number(call.getInterfaceId(), call.getMethodId());
    if (!method) return;
    if (auto arguments = arguments_of(call)) asked_[call.getQuestionId()] = {*method, *std::move(arguments)};
  });
}

void Repetitions::Ear::hear_server(std::string_view bytes) {
  read(from_server_, bytes, [this](Message::Reader message) {
    if (!message.isReturn()) return;
    const auto asked = asked_.extract(message.getReturn().getAnswerId());
    if (!asked || !message.getReturn().isResults()) return;
    const auto& [method, arguments] = asked.mapped();
    if (const auto error = error_of(method, message.getReturn().getResults()))
      repetitions_.refused(arguments, kind_of(*error));
  });
}

std::map<std::string, std::uint64_t> Repetitions::refused() const {
  const std::scoped_lock lock(mutex_);
  return refused_;
}

void Repetitions::left_without_answer(const std::string& arguments) {
  const std::scoped_lock lock(mutex_);
  in_doubt_.insert(arguments);
}

void Repetitions::refused(const std::string& arguments, const std::string& what) {
  const std::scoped_lock lock(mutex_);
  if (in_doubt_.contains(arguments)) ++refused_[what];
}

}  // namespace holdfast::testing
