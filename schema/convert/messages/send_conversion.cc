#include "schema/convert/messages/send_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

std::size_t bytes_of(const Message& message) {
  std::size_t bytes = message.body.size();
  for (const auto& [name, value] : message.attributes) bytes += name.size() + value.size();
  return bytes;
}

// Checks the size of a batch. A single message has limits of its own.
Result<void> check_bytes(std::size_t bytes, std::size_t messages) {
  const std::size_t limit =
      messages == 1 ? limits::kBodyBytesMax + limits::kAttributesTotalBytes : limits::kBatchBytes;
  if (bytes <= limit) return {};
  return fail(ErrorCode::kLimitExceeded,
              "messages: more than " + std::to_string(limit) + " bytes of bodies and attributes in one call");
}

// Checks the groups and deduplication ids before they are sent. They do not count as bytes of the batch, and
// none that a server accepts come near this limit. Longer ones would not fit into a call.
Result<void> check_names(std::span<const Message> messages) {
  std::size_t bytes = 0;
  for (const Message& message : messages) bytes += message.group.size() + message.deduplication_id.size();
  if (bytes <= limits::kBatchBytes) return {};
  return fail(ErrorCode::kLimitExceeded, "messages: more than " + std::to_string(limits::kBatchBytes) +
                                             " bytes of groups and deduplication ids in one call");
}

// Checks the body before it is sent, since no server accepts a larger one.
Result<void> check_body(const Message& message) {
  if (message.body.size() <= limits::kBodyBytesMax) return {};
  return fail(ErrorCode::kLimitExceeded, "the body has " + std::to_string(message.body.size()) +
                                             " bytes, the limit is " + std::to_string(limits::kBodyBytesMax));
}

Message read(wire::Message::Reader from) {
  Message message{.body = string(from.getBody()), .attributes = convert::read(from.getAttributes())};
  if (auto delay = from.getDelay(); delay.isMicros()) message.delay = Duration(delay.getMicros());
  if (auto life = from.getTimeToLive(); life.isMicros()) message.time_to_live = Duration(life.getMicros());
  if (auto at = from.getVisibleAt(); at.isMicros()) message.visible_at = timestamp(at.getMicros());
  message.group = string(from.getGroup());
  message.priority = from.getPriority();
  message.deduplication_id = string(from.getDeduplicationId());
  return message;
}

Durability weakest(const std::vector<Result<Sent>>& results) {
  for (const auto& result : results) {
    if (result && result->durability == Durability::kBuffered) return Durability::kBuffered;
  }
  return Durability::kFsync;
}

std::vector<unsigned> duplicates(const std::vector<Result<Sent>>& results) {
  std::vector<unsigned> entries;
  for (unsigned i = 0; i < results.size(); ++i) {
    if (results[i] && results[i]->duplicate) entries.push_back(i);
  }
  return entries;
}

}  // namespace

Result<void> check_batch(std::span<const Message> messages) {
  if (auto ok = check_count("messages", messages.size(), limits::kBatchEntries); !ok) return ok;
  if (auto ok = check_names(messages); !ok) return ok;
  std::size_t bytes = 0;
  for (const auto& message : messages) {
    if (auto ok = check_body(message); !ok) return ok;
    bytes += bytes_of(message);
  }
  return check_bytes(bytes, messages.size());
}

std::uint64_t request_words(std::span<const Message> messages) {
  std::uint64_t words = 32;
  for (const Message& message : messages) words += words_of(message.body, message.attributes);
  return words;
}

void write(std::string_view queue, std::span<const Message> messages, const SendOptions& options,
           wire::SendRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  to.setDurability(to_wire(options.durability));
  if (!options.request_id.empty()) to.setRequestId(as_text(options.request_id));
  auto list = to.initMessages(static_cast<unsigned>(messages.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    list[i].setBody(as_data(messages[i].body));
    if (messages[i].delay) list[i].getDelay().setMicros(messages[i].delay->count());
    if (messages[i].time_to_live) list[i].getTimeToLive().setMicros(messages[i].time_to_live->count());
    if (messages[i].visible_at) list[i].getVisibleAt().setMicros(micros(*messages[i].visible_at));
    if (!messages[i].group.empty()) list[i].setGroup(as_data(messages[i].group));
    list[i].setPriority(messages[i].priority);
    if (!messages[i].deduplication_id.empty()) {
      list[i].setDeduplicationId(as_data(messages[i].deduplication_id));
    }
    const auto& attributes = messages[i].attributes;
    if (attributes.empty()) continue;
    write(attributes, list[i].initAttributes(static_cast<unsigned>(attributes.size())));
  }
}

Result<SendCall> read(wire::SendRequest::Reader from) {
  const auto list = from.getMessages();
  if (auto ok = check_count("messages", list.size(), limits::kBatchEntries); !ok) {
    return tl::unexpected(ok.error());
  }
  const auto durability = read_choice(from.getDurability(), "durability");
  if (!durability) return tl::unexpected(durability.error());

  SendCall call{.queue = view(from.getQueue()),
                .messages = {},
                .options = {.durability = *durability, .request_id = string(from.getRequestId())}};
  call.messages.reserve(list.size());
  std::size_t bytes = 0;
  for (auto message : list) {
    call.messages.push_back(read(message));
    bytes += bytes_of(call.messages.back());
    if (auto ok = check_bytes(bytes, list.size()); !ok) return tl::unexpected(ok.error());
  }
  return call;
}

void write(const BatchResult<Sent>& from, wire::SendReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  auto ids = ok.initIds(static_cast<unsigned>(from->size()));
  for (unsigned i = 0; i < ids.size(); ++i) {
    if ((*from)[i]) write((*from)[i]->id, ids[i]);
  }
  ok.setDurability(to_wire(weakest(*from)));
  if (const auto failed = count_failed(*from); failed > 0) write_failed(*from, ok.initFailed(failed));
  const std::vector<unsigned> repeated = duplicates(*from);
  if (repeated.empty()) return;
  auto list = ok.initDuplicates(static_cast<unsigned>(repeated.size()));
  for (unsigned i = 0; i < list.size(); ++i) list.set(i, repeated[i]);
}

BatchResult<Sent> read(wire::SendReply::Reader from, std::size_t entries) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  auto ok = from.getOk();
  const auto ids = ok.getIds();
  if (ids.size() != entries) {
    return fail(ErrorCode::kInternal, "ids: the server answers " + std::to_string(ids.size()) + " of " +
                                          std::to_string(entries) + " entries");
  }
  const auto durability = read_durability(ok.getDurability(), "durability");
  if (!durability) return tl::unexpected(as_server_fault(durability.error()));

  std::vector<Result<Sent>> results;
  results.reserve(entries);
  for (auto id : ids) results.emplace_back(Sent{.id = read(id), .durability = *durability});
  for (const unsigned entry : at_most(entries, ok.getDuplicates())) {
    if (entry >= entries) return fail(ErrorCode::kInternal, "duplicates: the server names an entry too many");
    results[entry]->duplicate = true;
  }
  if (auto merged = read_failed(ok.getFailed(), results); !merged) return tl::unexpected(merged.error());
  return results;
}

}  // namespace holdfast::convert
