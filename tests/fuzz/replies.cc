// These targets fuzz what a server answers and calls, as a client reads it.
#include <capnp/capability.h>
#include <capnp/message.h>
#include <capnp/schema.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <cstring>
#include <utility>

#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/dead_letters/dead_letter_query_conversion.h"
#include "schema/convert/dead_letters/dead_letter_statistics_conversion.h"
#include "schema/convert/dead_letters/redrive_conversion.h"
#include "schema/convert/messages/message_history_conversion.h"
#include "schema/convert/messages/peek_conversion.h"
#include "schema/convert/messages/push_conversion.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/messages/send_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/queues/operations_conversion.h"
#include "schema/convert/queues/queue_conversion.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/hello_conversion.h"
#include "schema/transport/rpc_connection.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/wire_samples.h"

namespace holdfast::fuzz {
namespace {

struct ReplyKind {
  capnp::StructSchema schema;
  void (*read)(capnp::MessageReader& from);
};

template <class Reply>
ReplyKind kind() {
  return {capnp::Schema::from<Reply>(),
          [](capnp::MessageReader& from) { (void)convert::read(from.getRoot<Reply>()); }};
}

// Returns the kind of a reply that gives a capability.
template <class Reply, class Take>
ReplyKind kind_giving(Take) {
  return {capnp::Schema::from<Reply>(), [](capnp::MessageReader& from) {
            capnp::ReaderCapabilityTable given(nullptr);
            const auto reply = given.imbue(from.getRoot<Reply>());
            if (reply.isError()) return (void)convert::read(reply.getError());
            (void)Take()(reply);
          }};
}

// The replies to batches are read as answers to this many entries.
constexpr std::size_t kEntries = 2;

// New kinds go at the end: the first byte of each input in corpus/reply is the index of its kind.
std::vector<ReplyKind> make_kinds() {
  return {
      kind<wire::HelloReply>(),
      kind<wire::DeclareReply>(),
      kind<wire::EmptyReply>(),
      kind<wire::PurgeReply>(),
      kind<wire::DescribeReply>(),
      kind<wire::ListQueuesReply>(),
      kind<wire::PeekReply>(),
      kind<wire::ListDeadLettersReply>(),
      kind<wire::GroupDeadLettersReply>(),
      kind<wire::DeadLetterStatisticsReply>(),
      kind<wire::DeadLettersChangedReply>(),
      kind<wire::ImportDeadLettersReply>(),
      kind<wire::RedriveReply>(),
      kind<wire::TaskReply>(),
      kind<wire::ListRedrivesReply>(),
      kind<wire::MessageHistoryReply>(),
      kind<wire::BackupReply>(),
      kind<wire::VerifyReply>(),
      kind<wire::StatisticsReply>(),
      kind<wire::QueueStatisticsReply>(),
      kind<wire::DrainReply>(),
      {capnp::Schema::from<wire::ReceiveReply>(),
       [](capnp::MessageReader& from) {
         (void)convert::read(from.getRoot<wire::ReceiveReply>(), std::shared_ptr<const void>());
       }},
      {capnp::Schema::from<wire::SendReply>(),
       [](capnp::MessageReader& from) { (void)convert::read(from.getRoot<wire::SendReply>(), kEntries); }},
      {capnp::Schema::from<wire::SettleReply>(),
       [](capnp::MessageReader& from) { (void)convert::read(from.getRoot<wire::SettleReply>(), kEntries); }},
      {capnp::Schema::from<wire::DeliverySink::DeliverParams>(),
       [](capnp::MessageReader& from) {
         (void)convert::read(from.getRoot<wire::DeliverySink::DeliverParams>(),
                             std::shared_ptr<const void>());
       }},
      {capnp::Schema::from<wire::DeliverySink::EndParams>(),
       [](capnp::MessageReader& from) {
         (void)convert::read(from.getRoot<wire::DeliverySink::EndParams>().getError());
       }},
      kind_giving<wire::SubscribeReply>([](const auto& reply) { return reply.getSubscription(); }),
      kind_giving<wire::AuthenticateReply>([](const auto& reply) { return reply.getBroker(); })};
}

const std::vector<ReplyKind>& kinds() {
  static const std::vector<ReplyKind> all = make_kinds();
  return all;
}

}  // namespace

// The input's first word says which reply the rest is. Cap'n Proto refuses what is no message.
bool run_reply(std::string_view input) {
  if (input.size() < sizeof(capnp::word)) return false;
  const ReplyKind& kind = kinds()[static_cast<std::uint8_t>(input.front()) % kinds().size()];
  kj::Array<capnp::word> words = kj::heapArray<capnp::word>(input.size() / sizeof(capnp::word) - 1);
  std::memcpy(words.begin(), input.data() + sizeof(capnp::word), words.asBytes().size());
  bool read = false;
  const auto refused = kj::runCatchingExceptions([&] {
    capnp::FlatArrayMessageReader message(words, transport::reader_options());
    kind.read(message);
    read = true;
  });
  return read && refused == nullptr;
}

std::vector<std::string> reply_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t i = 0; i < kinds().size(); ++i) {
    for (const bool all : {false, true}) {
      capnp::MallocMessageBuilder builder;
      const auto root = builder.initRoot<capnp::DynamicStruct>(kinds()[i].schema);
      if (all) fill(root);
      const auto words = capnp::messageToFlatArray(builder);
      std::string seed(sizeof(capnp::word), '\0');
      seed.front() = static_cast<char>(i);
      seed.append(words.asChars().begin(), words.asChars().size());
      seeds.push_back(std::move(seed));
    }
  }
  return seeds;
}

}  // namespace holdfast::fuzz
