// holdfast send
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <istream>
#include <sstream>
#include <utility>

#include "holdfast/limits.h"
#include "input.h"
#include "json.h"
#include "text.h"
#include "verbs.h"

namespace holdfast::command {
namespace {

constexpr std::size_t kBatchMessages = 1000;
constexpr std::size_t kBatchBytes = 8 << 20;  // unless a line by itself has more

struct Arguments {
  std::string queue;
  std::optional<std::string> body;
  std::string file;
  bool lines = false;
  Message head;  // what all messages have but the body
  SendOptions options;
};

Message with_body(Message head, std::string body) {
  head.body = std::move(body);
  return head;
}

// What the body is read from, to a person.
std::string source_name(const Arguments& arguments) {
  return arguments.file.empty() || arguments.file == "-" ? "standard input"
                                                         : fmt::format("file '{}'", arguments.file);
}

Result<void> send_one(Session& session, Broker& broker, const Arguments& arguments, std::istream& in) {
  auto body = read_all(in, source_name(arguments));
  if (!body) return tl::unexpected(body.error());
  auto sent = broker.send(arguments.queue, with_body(arguments.head, std::move(*body)), arguments.options);
  if (!sent) return tl::unexpected(sent.error());
  if (session.json()) {
    session.print(to_json(*sent));
  } else {
    session.out() << (sent->duplicate ? "sent before: " : "sent ") << sent->id.to_string() << " ("
                  << to_string(sent->durability) << ")\n";
  }
  return {};
}

// Reads the lines of `in` up to the bounds of a batch. `ahead`: a line that is for the next one.
std::vector<Message> next_batch(std::istream& in, const Message& head, std::optional<std::string>& ahead) {
  std::vector<Message> batch;
  std::size_t bytes = 0;
  std::string line;
  while (batch.size() < kBatchMessages) {
    if (ahead) {
      line = *std::exchange(ahead, std::nullopt);
    } else if (!std::getline(in, line)) {
      break;
    }
    bytes += line.size();
    if (bytes > kBatchBytes && !batch.empty()) {
      ahead = std::move(line);
      break;
    }
    batch.push_back(with_body(head, line));
  }
  return batch;
}

Result<void> send_lines(Session& session, Broker& broker, const Arguments& arguments, std::istream& in) {
  std::size_t line = 0;
  std::size_t sent_count = 0;
  SendOptions options = arguments.options;
  std::optional<std::string> ahead;
  const auto stop = [&](const Error& error) -> Result<void> {
    if (line > 0) session.note(fmt::format("{} lines were handled before this", line));
    return tl::unexpected(error);
  };
  for (;;) {
    auto batch = next_batch(in, arguments.head, ahead);
    if (batch.empty()) break;
    // Each batch is a call.
    if (!options.request_id.empty())
      options.request_id = fmt::format("{}.{}", arguments.options.request_id, line);
    auto answers = broker.send_batch(arguments.queue, std::move(batch), options);
    if (!answers) return stop(answers.error());
    for (const Result<Sent>& sent : *answers) {
      ++line;
      if (!sent) {
        session.report({sent.error().code, fmt::format("line {}: {}", line, sent.error().message)},
                       {{"line", line}});
        continue;
      }
      ++sent_count;
      if (session.json()) {
        session.print(to_json(*sent));
      }
    }
  }
  if (in.bad()) return stop(unreadable(source_name(arguments)));
  if (!session.json()) session.out() << "sent " << counted(sent_count, "message") << '\n';
  return {};
}

// Where the body is read from.
Result<std::shared_ptr<std::istream>> source_of(Session& session, const Arguments& arguments) {
  if (arguments.file.empty() && !arguments.body) {
    return fail(ErrorCode::kInvalidArgument, "there is no body: give it as an argument, as - or with --file");
  }
  if (arguments.file == "-" || (arguments.file.empty() && arguments.body == "-")) {
    return std::shared_ptr<std::istream>(&session.in(), [](std::istream*) {});
  }
  if (arguments.file.empty()) return std::make_shared<std::istringstream>(*arguments.body);
  auto file = std::make_shared<std::ifstream>(arguments.file, std::ios::binary);
  if (!*file || std::filesystem::is_directory(arguments.file)) {
    return tl::unexpected(unreadable(source_name(arguments)));
  }
  return file;
}

Result<void> send(Session& session, const Arguments& arguments) {
  auto source = source_of(session, arguments);
  if (!source) return tl::unexpected(source.error());
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  return arguments.lines ? send_lines(session, **broker, arguments, **source)
                         : send_one(session, **broker, arguments, **source);
}

}  // namespace

void add_send(CLI::App& root, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb =
      add_verb(root, session, "send", "Send a message, or one for each line",
               {"holdfast send orders '42 widgets'",
                "holdfast send orders '42 widgets' --attribute correlation-id=c-17",
                "holdfast send orders --file order.json", "producer | holdfast send orders - --lines"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  auto* body = verb.add_option("body", arguments->body, "The body; - reads it from standard input");
  verb.add_option("--file", arguments->file, "Read the body from this file; - for standard input")
      ->type_name("PATH")
      ->excludes(body);
  verb.add_flag("--lines", arguments->lines, "One message for each line");
  add_attributes(verb, arguments->head.attributes);
  verb.add_option(
          "--dedup-id", arguments->head.deduplication_id,
          "Names this send, for queues with --dedup: sent again with it, the message is not added again")
      ->excludes("--lines");
  verb.add_option("--group", arguments->head.group,
                  "The message group, for queues that are --ordered or --fair");
  verb.add_option("--priority", arguments->head.priority,
                  "Its priority, for queues with --priorities: 0, the lowest, to their number less 1 [0]");
  add_duration(verb, "--delay", arguments->head.delay, "Not to be received for this long [the queue's]");
  add_duration(verb, "--ttl", arguments->head.time_to_live, "To be received for this long [the queue's]");
  add_time(verb, "--visible-at", arguments->head.visible_at, "Not to be received before this time");
  add_durability(verb, arguments->options.durability);
  add_request_id(verb, arguments->options.request_id);
  on_run(verb, session, [arguments](Session& s) { return send(s, *arguments); });
}

}  // namespace holdfast::command
