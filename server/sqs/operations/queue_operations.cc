// Creates, deletes, describes, changes and lists queues as SQS does. An operation may take several calls of
// the protocol. Where SQS allows more than the engine, as in deleting a queue that others dead-letter to, a
// failure undoes the earlier calls as far as it can.
#include <algorithm>
#include <memory>

#include "engine/base/helpers/base64.h"
#include "engine/base/options/queue_option_table.h"
#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/format/sqs_names.h"
#include "server/sqs/format/sqs_values.h"
#include "server/sqs/operations/altering.h"
#include "server/sqs/operations/operation_table.h"
#include "server/sqs/operations/queue_attributes.h"

namespace holdfast::server::sqs {
namespace {

Json member_or_empty(const Json& input, std::string_view name) {
  const auto found = input.find(name);
  return found == input.end() ? Json::object() : *found;
}

Json url_answer(const SqsCall& call, const std::string& queue) { return {{"QueueUrl", call.url_of(queue)}}; }

std::string queue_of(const Json& input) { return queue_in_url(text_in(input, "QueueUrl")); }

bool allows(const DeadLetterSources& sources, const std::string& queue) {
  if (sources.allow == DeadLetterSources::Allow::kAll) return true;
  return sources.allow == DeadLetterSources::Allow::kListed &&
         std::ranges::find(sources.queues, queue) != sources.queues.end();
}

// Checks the queue that `attributes` name for dead letters, if they name one: whether a queue of this name
// and these options may dead-letter to it. Without this check, the engine would create the queue for dead
// letters by itself, and would report a target that does not accept them as a matter of rights.
Promised<Done> check_target(SqsCall& call, const std::string& queue, const QueueOptions& options,
                            const Json& attributes) {
  auto target = redrive_target(queue, attributes, call.options());
  if (!target) return fail_with<Done>(target.error());
  if (!*target) return Outcome<Done>(Done{});
  return call.broker.describe(**target).then(
      [policy = attributes["RedrivePolicy"].get<std::string>(), queue,
       is_fifo = is_fifo_queue(queue, options)](const Outcome<QueueInfo>& found) -> Outcome<Done> {
        const auto wrong = [&policy](std::string_view why) {
          return invalid_value(policy, "RedrivePolicy", why);
        };
        if (!found) {
          if (found.error().code != FaultCode::kQueueDoesNotExist) return tl::unexpected(found.error());
          return wrong("Dead letter target does not exist.");
        }
        if (is_fifo_queue(found->name, found->options) != is_fifo)
          return wrong("Dead-letter target queue must be of the same type as the source.");
        if (!allows(found->options.dead_letters.sources, queue))
          return wrong("The dead letter target does not allow this source queue.");
        return Done{};
      });
}

// --- a new queue ---

struct NewQueue {
  std::string name;
  Json attributes;
  Json tags;
};

// Checks that the queue's name and the attribute FifoQueue, if it is given, agree on what the queue is to be.
Outcome<void> check_kind(const NewQueue& queue) {
  const bool is_fifo = has_fifo_name(queue.name);
  if (queue.attributes.value("FifoQueue", "") != (is_fifo ? "false" : "true")) return {};
  return refuse(FaultCode::kInvalidParameterValue,
                "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, "
                "must end with .fifo suffix and be 1 to 80 in length.");
}

Outcome<NewQueue> read_new_queue(const Json& input) {
  NewQueue queue{text_in(input, "QueueName"), member_or_empty(input, "Attributes"),
                 member_or_empty(input, "tags")};
  if (auto ok = check_new_name(queue.name); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_kind(queue); !ok) return tl::unexpected(ok.error());
  for (const auto& [key, value] : queue.tags.items()) {
    if (auto ok = check_tag(key, value.get<std::string>()); !ok) return tl::unexpected(ok.error());
  }
  return queue;
}

// A queue that exists already is the wanted one if it has everything that the request says.
Outcome<Json> existing(const SqsCall& call, const NewQueue& wanted, const QueueInfo& found) {
  const auto other = [] {
    return refuse(FaultCode::kQueueNameExists,
                  "A queue already exists with the same name and a different value for an attribute.");
  };
  if (has_fifo_name(wanted.name) != is_fifo_queue(found.name, found.options)) return other();
  QueueOptions options = found.options;
  if (auto ok = set_attributes(wanted.name, wanted.attributes, call.options(), options); !ok)
    return tl::unexpected(ok.error());
  if (options != found.options) return other();
  return url_answer(call, wanted.name);
}

Promised<Json> create(SqsCall& call, const NewQueue& wanted) {
  if (call.shared.deleted.holds(wanted.name, call.now)) {
    return fail_with<Json>(
        {FaultCode::kQueueDeletedRecently,
         "You must wait " + std::to_string(call.options().cooldown.count()) +
             " seconds after deleting a queue before you can create another with the same name."});
  }
  if (has_fifo_name(wanted.name) && !wanted.attributes.contains("FifoQueue")) {
    return fail_with<Json>(
        invalid_value(wanted.name, "QueueName", "A queue of this name needs the attribute FifoQueue.")
            .value());
  }
  QueueOptions options = new_queue(wanted.name);
  if (auto ok = set_attributes(wanted.name, wanted.attributes, call.options(), options); !ok)
    return fail_with<Json>(ok.error());
  for (const auto& [key, value] : wanted.tags.items()) options.tags[key] = value.get<std::string>();
  return then_if_good(call.broker.create(wanted.name, options),
                      [&call, name = wanted.name](Done) { return Outcome<Json>(url_answer(call, name)); });
}

Promised<Json> find_or_create(SqsCall& call, NewQueue wanted) {
  const std::string name = wanted.name;
  return call.broker.describe(name).then(
      [&call, wanted = std::move(wanted)](Outcome<QueueInfo> found) -> Promised<Json> {
        if (found) return existing(call, wanted, *found);
        if (found.error().code != FaultCode::kQueueDoesNotExist) return fail_with<Json>(found.error());
        return create(call, wanted);
      });
}

// --- deleting ---

// Lets a queue dead-letter to `to` if it dead-letters to `from`; an empty name is no queue. Returns false if
// it does not, or is gone.
Promised<bool> redirect(SqsCall& call, const std::string& queue, const std::string& from,
                        const std::string& to) {
  const auto is_source = std::make_shared<bool>(false);
  const auto make = [from, to, is_source](const QueueInfo& info) -> Outcome<QueueChanges> {
    *is_source = info.options.dead_letters.queue == from;
    return *is_source ? QueueChanges{.dead_letters = {.queue = to}} : QueueChanges{};
  };
  return alter_as_seen(call, queue, make).then([is_source](const Outcome<Done>& done) -> Outcome<bool> {
    if (done) return *is_source;
    if (done.error().code == FaultCode::kQueueDoesNotExist) return false;
    return tl::unexpected(done.error());
  });
}

// The queues that dead-letter to a queue that is to be deleted.
struct DeadLetterSources {
  std::string target;
  std::vector<std::string> linked;
  std::vector<std::string> unlinked = {};
};

using SharedSources = std::shared_ptr<DeadLetterSources>;

// The sources are altered one after another, so however many there are, they are one call at a time.
Promised<Done> unlink(SqsCall& call, const SharedSources& sources) {
  if (sources->linked.empty()) return Outcome<Done>(Done{});
  auto redirected = redirect(call, sources->linked.back(), sources->target, "");
  return then_if_good(kj::mv(redirected), [&call, sources](bool is_unlinked) {
    if (is_unlinked) sources->unlinked.push_back(sources->linked.back());
    sources->linked.pop_back();
    return unlink(call, sources);
  });
}

// Undoes unlink() as far as it can: a source that has changed since then stays as it is.
kj::Promise<void> link_again(SqsCall& call, const SharedSources& sources) {
  if (sources->unlinked.empty()) return kj::READY_NOW;
  const std::string source = std::move(sources->unlinked.back());
  sources->unlinked.pop_back();
  return redirect(call, source, "", sources->target)
      .then([](const Outcome<bool>& /*linked*/) {}, [](kj::Exception&& /*why*/) {})
      .then([&call, sources] { return link_again(call, sources); });
}

Promised<Done> remove_after_unlinking(SqsCall& call, const SharedSources& sources) {
  auto removed = then_if_good(unlink(call, sources),
                              [&call, sources](Done) { return call.broker.remove(sources->target); });
  return removed.then(
      [&call, sources](Outcome<Done> outcome) -> Promised<Done> {
        if (outcome) return outcome;
        return link_again(call, sources).then([outcome] { return outcome; });
      },
      [&call, sources](kj::Exception&& why) -> Promised<Done> {
        return link_again(call, sources).then([why = kj::mv(why)]() -> Outcome<Done> {
          kj::throwFatalException(kj::cp(why));
        });
      });
}

// Returns whether the queue needs `target` for more than its dead letters. SQS knows no such queues.
bool parks_or_routes_to(const QueueInfo& queue, const std::string& target) {
  const auto& dead_letters = queue.options.dead_letters;
  return dead_letters.parking_queue == target ||
         std::ranges::any_of(dead_letters.routes, [&](const auto& route) { return route.queue == target; });
}

// The engine deletes no queue that others dead-letter to. SQS does, and the messages of those queues then
// stay where they are. So those queues are altered to dead-letter to no queue first. If the queue cannot be
// deleted all the same, they dead-letter to it again.
Promised<Done> remove(SqsCall& call, const std::string& queue) {
  return call.broker.remove(queue).then([&call, queue](Outcome<Done> removed) -> Promised<Done> {
    const bool is_in_use = !removed && removed.error().code == FaultCode::kUnsupportedOperation;
    if (!is_in_use) return removed;
    return then_if_good(
        call.broker.list(), [&call, queue, removed](const std::vector<QueueInfo>& all) -> Promised<Done> {
          auto sources =
              std::make_shared<DeadLetterSources>(DeadLetterSources{.target = queue, .linked = {}});
          for (const QueueInfo& other : all) {
            if (parks_or_routes_to(other, queue)) return removed;
            if (other.options.dead_letters.queue == queue) sources->linked.push_back(other.name);
          }
          return remove_after_unlinking(call, sources);
        });
  });
}

// --- lists, in pages ---

struct PageRequest {
  std::size_t most = 0;
  bool has_most = false;
  std::string after = {};  // the last name of the previous page
};

Outcome<PageRequest> read_page(const Json& input) {
  const auto most = number_in(input, "MaxResults", limits::kPage);
  if (!most) return tl::unexpected(most.error());
  const std::string token = text_in(input, "NextToken");
  const auto after = base64_decode(token);
  if (!after) return invalid_value(token, "NextToken", "This server did not issue it.");
  return PageRequest{static_cast<std::size_t>(most->value_or(limits::kPage.most)), most->has_value(), *after};
}

// Makes a page of `names`, which are sorted. Without MaxResults there is only one page.
Json page_of(const SqsCall& call, const std::vector<std::string>& names, const PageRequest& page,
             std::string_view member) {
  auto begin = std::ranges::upper_bound(names, page.after);
  const auto left = static_cast<std::size_t>(names.end() - begin);
  Json answer = Json::object();
  Json urls = Json::array();
  for (std::size_t i = 0; i < std::min(left, page.most); ++i) urls.push_back(call.url_of(*begin++));
  const bool is_required = member == "queueUrls";
  if (!urls.empty() || is_required) answer[std::string(member)] = std::move(urls);
  if (page.has_most && left > page.most) answer["NextToken"] = base64_encode(*std::prev(begin));
  return answer;
}

template <class Condition>
std::vector<std::string> names_of(const std::vector<QueueInfo>& queues, Condition is_meant) {
  std::vector<std::string> names;
  for (const QueueInfo& queue : queues) {
    if (is_meant(queue)) names.push_back(queue.name);
  }
  return names;
}

Outcome<QueueChanges> changes_of(const SqsCall& call, const QueueInfo& queue, const Json& attributes) {
  QueueOptions options = queue.options;
  if (auto ok = set_attributes(queue.name, attributes, call.options(), options); !ok)
    return tl::unexpected(ok.error());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  keep_value(options.tags, "LastModifiedTimestamp",
             std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now).count()));
  return changes_between(queue.options, options);
}

}  // namespace

Promised<Json> create_queue(SqsCall& call, const Json& input) {
  auto wanted = read_new_queue(input);
  if (!wanted) return fail_with<Json>(wanted.error());
  auto checked = check_target(call, wanted->name, new_queue(wanted->name), wanted->attributes);
  return then_if_good(kj::mv(checked), [&call, wanted = *std::move(wanted)](Done) mutable {
    return find_or_create(call, std::move(wanted));
  });
}

Promised<Json> delete_queue(SqsCall& call, const Json& input) {
  const std::string queue = queue_of(input);
  return then_if_good(remove(call, queue), [&call, queue](Done) {
    call.shared.deleted.begin(queue, call.now);
    return Outcome<Json>(Json::object());
  });
}

Promised<Json> purge_queue(SqsCall& call, const Json& input) {
  return then_if_good(
      call.broker.describe(queue_of(input)), [&call](const QueueInfo& queue) -> Promised<Json> {
        // The id stands for the queue: one that was deleted and created anew is another queue.
        const std::string id = std::to_string(static_cast<std::uint64_t>(queue.id));
        if (call.shared.purged.holds(id, call.now)) {
          return fail_with<Json>({FaultCode::kPurgeQueueInProgress,
                                  "Only one PurgeQueue operation on " + queue.name + " is allowed every " +
                                      std::to_string(call.options().cooldown.count()) + " seconds."});
        }
        return then_if_good(call.broker.purge(queue.name), [&call, id](Done) {
          call.shared.purged.begin(id, call.now);
          return Outcome<Json>(Json::object());
        });
      });
}

Promised<Json> get_queue_url(SqsCall& call, const Json& input) {
  return then_if_good(call.broker.describe(text_in(input, "QueueName")), [&call](const QueueInfo& queue) {
    return Outcome<Json>(url_answer(call, queue.name));
  });
}

Promised<Json> list_queues(SqsCall& call, const Json& input) {
  auto page = read_page(input);
  if (!page) return fail_with<Json>(page.error());
  return then_if_good(call.broker.list(), [&call, page = *page, prefix = text_in(input, "QueueNamePrefix")](
                                              const std::vector<QueueInfo>& queues) {
    const auto names =
        names_of(queues, [&](const QueueInfo& queue) { return queue.name.starts_with(prefix); });
    return Outcome<Json>(page_of(call, names, page, "QueueUrls"));
  });
}

Promised<Json> list_dead_letter_source_queues(SqsCall& call, const Json& input) {
  auto page = read_page(input);
  if (!page) return fail_with<Json>(page.error());
  const std::string target = queue_of(input);
  auto list = then_if_good(call.broker.describe(target),
                           [&call](const QueueInfo& /*queue*/) { return call.broker.list(); });
  return then_if_good(kj::mv(list), [&call, page = *page, target](const std::vector<QueueInfo>& queues) {
    const auto names =
        names_of(queues, [&](const QueueInfo& queue) { return queue.options.dead_letters.queue == target; });
    return Outcome<Json>(page_of(call, names, page, "queueUrls"));
  });
}

Promised<Json> get_queue_attributes(SqsCall& call, const Json& input) {
  Json names = member_or_empty(input, "AttributeNames");
  return then_if_good(call.broker.describe(queue_of(input)),
                      [&call, names = std::move(names)](const QueueInfo& queue) -> Outcome<Json> {
                        auto attributes = get_attributes(queue, names, call.options());
                        if (!attributes) return attributes;
                        if (attributes->empty()) return Json(Json::object());
                        return Json({{"Attributes", *attributes}});
                      });
}

Promised<Json> set_queue_attributes(SqsCall& call, const Json& input) {
  const std::string queue = queue_of(input);
  const Json& attributes = input["Attributes"];
  auto made = [&call, attributes](const QueueInfo& info) { return changes_of(call, info, attributes); };
  auto checked = then_if_good(call.broker.describe(queue), [&call, attributes](const QueueInfo& info) {
    return check_target(call, info.name, info.options, attributes);
  });
  auto altered =
      then_if_good(kj::mv(checked), [&call, queue, made](Done) { return alter_as_seen(call, queue, made); });
  return then_if_good(kj::mv(altered), [](Done) { return Outcome<Json>(Json::object()); });
}

}  // namespace holdfast::server::sqs
