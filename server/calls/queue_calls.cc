// Answers calls about queues. A change may depend on the version of the queue that its caller has seen.
// Queues that the caller may not know of appear neither in lists nor in errors.
#include "schema/convert/queues/queue_conversion.h"

#include <capnp/message.h>

#include <algorithm>
#include <array>

#include "engine/sync/mutex.h"
#include "schema/convert/values/bytes.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/calls/read_request.h"

namespace holdfast::server {
namespace {

constexpr std::string_view kHiddenQueue = "a queue that you may not see";

using Versions = std::vector<std::string>;

Versions versions_in(capnp::List<capnp::Text>::Reader list) {
  Versions versions;
  for (const auto version : list) versions.push_back(convert::string(version));
  return versions;
}

// Checks the version that the queue has now. It stays the same while the lock is held: clients change and
// delete queues only under this lock, and the engine's own threads create queues, but change and delete none.
Result<void> check_version(State& state, const std::string& name, const Versions& versions)
    HOLDFAST_REQUIRES(state.all.queue_changes) {
  if (versions.empty()) return {};
  const auto queue = state.engine.describe_queue(name);
  if (!queue) return tl::unexpected(queue.error());
  capnp::MallocMessageBuilder message;
  auto described = message.initRoot<wire::QueueInfo>();
  convert::write(*queue, described);
  const std::string version = convert::string(described.getVersion());
  if (std::ranges::find(versions, version) != versions.end()) return {};
  return fail(ErrorCode::kPreconditionFailed,
              "queue '" + name + "' was changed: its version is " + version + " now");
}

// Takes out of a refusal the names of the queues that refer to the caller's: the caller may not know of them.
// `rights` is null if the caller may know of all queues.
template <class R>
R without_hidden_names(R result, const Rights* rights) {
  if (result || rights == nullptr || result.error().code != ErrorCode::kQueueInUse) return result;
  std::string& text = result.error().message;
  for (std::size_t begin = text.find('\''); begin != std::string::npos; begin = text.find('\'', begin + 1)) {
    const std::size_t end = text.find('\'', begin + 1);
    if (end == std::string::npos) break;
    const bool is_hidden = !rights->know(std::string_view(text).substr(begin + 1, end - begin - 1));
    if (is_hidden) text.replace(begin, end + 1 - begin, kHiddenQueue);
    begin = is_hidden ? begin + kHiddenQueue.size() - 1 : end;
  }
  return result;
}

kj::Promise<void> create_queue(Call<wire::CreateQueueRequest, wire::DeclareReply> call) {
  using R = Result<QueueDeclared>;
  auto asked = read_request(call);
  if (!asked) return answer_now<R>(call, tl::unexpected(asked.error()));
  return answer_blocking<R>(
      call, [&engine = call->engine(), rights = call->caller().rights(), name = std::string(asked->name),
             options = std::move(asked->options), missing = asked->missing] {
        return without_hidden_names(engine.create_queue(name, options, missing), rights.get());
      });
}

kj::Promise<void> alter_queue(Call<wire::AlterQueueRequest, wire::DeclareReply> call) {
  using R = Result<QueueDeclared>;
  auto asked = read_request(call);
  if (!asked) return answer_now<R>(call, tl::unexpected(asked.error()));
  auto work = [&state = call->state(), rights = call->caller().rights(), name = std::string(asked->name),
               changes = std::move(asked->changes), missing = asked->missing,
               versions = versions_in(call.params().getIfVersion())] {
    const sync::Lock lock(state.all.queue_changes);
    if (auto ok = check_version(state, name, versions); !ok) return R(tl::unexpected(ok.error()));
    return without_hidden_names(state.engine.alter_queue(name, changes, missing), rights.get());
  };
  return answer_blocking<R>(call, std::move(work));
}

kj::Promise<void> delete_queue(Call<wire::DeleteQueueRequest, wire::EmptyReply> call) {
  const auto request = call.params();
  auto work = [&state = call->state(), rights = call->caller().rights(),
               name = convert::string(request.getName()), versions = versions_in(request.getIfVersion())] {
    const sync::Lock lock(state.all.queue_changes);
    if (auto ok = check_version(state, name, versions); !ok) return ok;
    return without_hidden_names(state.engine.delete_queue(name), rights.get());
  };
  return answer_blocking<Result<void>>(call, std::move(work));
}

kj::Promise<void> purge_queue(Call<wire::QueueRequest, wire::PurgeReply> call) {
  auto work = [&engine = call->engine(), name = std::string(read_request(call))] {
    return engine.purge_queue(name);
  };
  return answer_blocking<Result<std::uint64_t>>(call, std::move(work));
}

kj::Promise<void> pause_queue(Call<wire::PauseRequest, wire::EmptyReply> call) {
  const auto asked = read_request(call);
  auto work = [&engine = call->engine(), name = std::string(asked.name), what = asked.what] {
    return engine.pause_queue(name, what);
  };
  return answer_blocking<Result<void>>(call, std::move(work));
}

kj::Promise<void> resume_queue(Call<wire::PauseRequest, wire::EmptyReply> call) {
  const auto asked = read_request(call);
  auto work = [&engine = call->engine(), name = std::string(asked.name), what = asked.what] {
    return engine.resume_queue(name, what);
  };
  return answer_blocking<Result<void>>(call, std::move(work));
}

kj::Promise<void> describe_queue(Call<wire::QueueRequest, wire::DescribeReply> call) {
  auto work = [&engine = call->engine(), name = std::string(read_request(call))] {
    return engine.describe_queue(name);
  };
  return answer_blocking<Result<QueueInfo>>(call, std::move(work));
}

kj::Promise<void> list_queues(Call<wire::ListQueuesRequest, wire::ListQueuesReply> call) {
  auto work = [&engine = call->engine(), rights = call->caller().rights()] {
    auto queues = engine.list_queues();
    if (queues && rights) {
      std::erase_if(*queues, [&](const QueueInfo& queue) { return !rights->know(queue.name); });
    }
    return queues;
  };
  return answer_blocking<Result<std::vector<QueueInfo>>>(call, std::move(work));
}

}  // namespace

std::span<const Method> queue_methods() {
  static const std::array methods = {
      method<create_queue>("createQueue", {Need::kCreates, Right::kAdminister, Content::kNone}),
      method<alter_queue>("alterQueue", {Need::kQueues, Right::kAdminister, Content::kNone}),
      method<delete_queue>("deleteQueue", {Need::kQueues, Right::kAdminister, Content::kNone}),
      method<purge_queue>("purgeQueue", {Need::kQueues, Right::kAdminister, Content::kNone}),
      method<pause_queue>("pauseQueue", {Need::kQueues, Right::kOperate, Content::kNone}),
      method<resume_queue>("resumeQueue", {Need::kQueues, Right::kOperate, Content::kNone}),
      method<describe_queue>("describeQueue", {Need::kKnown, {}, Content::kNone}),
      // The answer has only queues on which the caller has some right.
      method<list_queues>("listQueues", {Need::kAny, {}, Content::kNone}, {.shows_what_is_stored = true}),
  };
  return methods;
}

}  // namespace holdfast::server
