// `holdfast send` sends one message, or each line of an input as one, in batches. It counts what became of
// the lines.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <sstream>
#include <utility>

#include "engine/base/options/queue_option_table.h"
#include "tools/cli/json.h"
#include "tools/cli/terminal/line_source.h"
#include "tools/cli/texts/input.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs.h"

namespace holdfast::command {
namespace {

constexpr std::size_t kBatchMessages = 1000;
constexpr std::size_t kBatchBytes = 8 << 20;      // unless a single line has more
constexpr std::chrono::milliseconds kPause{100};  // of the input; then what has come is sent

struct SendArguments {
  std::string queue;
  std::optional<std::string> body;
  std::string file;
  bool lines = false;
  bool strip_newline = false;
  Message head;  // what all messages have in common: everything but the body
  SendOptions options;
};

Message with_body(Message head, std::string body) {
  head.body = std::move(body);
  return head;
}

bool is_standard_input(const SendArguments& arguments) {
  if (!arguments.file.empty()) return arguments.file == "-";
  return arguments.body == "-" || (arguments.lines && !arguments.body);
}

// Returns what a person calls the source of the body.
std::string source_name(const SendArguments& arguments) {
  if (is_standard_input(arguments)) return "standard input";
  return arguments.file.empty() ? "the body" : fmt::format("file '{}'", arguments.file);
}

// Reads the body from wherever it is.
Result<std::string> read_body(CommandSession& session, const SendArguments& arguments) {
  if (!is_standard_input(arguments) && arguments.file.empty()) return *arguments.body;
  auto body = is_standard_input(arguments) ? read_all(session.in(), source_name(arguments))
                                           : read_file(arguments.file, source_name(arguments));
  if (body && arguments.strip_newline && body->ends_with('\n')) {
    body->pop_back();
    if (body->ends_with('\r')) body->pop_back();
  }
  return body;
}

Result<void> send_one(CommandSession& session, const SendArguments& arguments) {
  auto body = read_body(session, arguments);
  if (!body) return tl::unexpected(body.error());
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto sent =
      (*broker)->send(arguments.queue, with_body(arguments.head, std::move(*body)), arguments.options);
  if (!sent) return tl::unexpected(sent.error());
  if (session.json()) {
    session.print(to_json(*sent));
  } else {
    session.out() << (sent->duplicate ? "sent before: " : "sent ") << sent->id.to_string() << " ("
                  << to_string(sent->durability) << ")\n";
  }
  return {};
}

// Counts what became of the lines.
struct Tally {
  std::uint64_t lines = 0;
  std::map<Durability, std::uint64_t> sent;
  std::uint64_t duplicates = 0;
  std::uint64_t refused = 0;

  // Returns a text such as "sent 3 messages (fsync), 1 was sent before, 2 lines were refused".
  std::string text() const {
    std::uint64_t total = 0;
    std::string as;
    for (const auto& [durability, count] : sent) {
      total += count;
      as += as.empty() ? "" : ", ";
      if (sent.size() > 1) as += fmt::format("{} ", count);
      as += to_string(durability);
    }
    std::string text = "sent " + counted(total, "message");
    if (!as.empty()) text += " (" + as + ")";
    if (duplicates > 0)
      text += fmt::format(", {} {} sent before", duplicates, duplicates == 1 ? "was" : "were");
    if (refused > 0)
      text += fmt::format(", {} {} refused", counted(refused, "line"), refused == 1 ? "was" : "were");
    return text;
  }
};

// Sends the lines of an input in batches.
class LineSender {
 public:
  LineSender(CommandSession& session, Broker& broker, const SendArguments& arguments)
      : session_(session), broker_(broker), arguments_(arguments) {}

  Result<void> send_all(LineSource& source) {
    using Got = LineSource::Got;
    Got got = Got::kLine;
    while (got == Got::kLine || got == Got::kPause) {
      std::vector<Message> batch = next_batch(source, got);
      if (batch.empty()) continue;
      if (auto ok = send(std::move(batch)); !ok) return stop(ok.error());
    }
    if (got == Got::kBroken) return stop(unreadable(source_name(arguments_)));
    if (!session_.json()) session_.out() << tally_.text() << '\n';
    return {};
  }

 private:
  // Waits for a line, and takes those that come with it, up to the bounds of a batch. `got` says how the last
  // look at the input went.
  std::vector<Message> next_batch(LineSource& source, LineSource::Got& got) {
    std::vector<Message> batch;
    std::size_t bytes = 0;
    std::string line;
    if (ahead_) {
      bytes = ahead_->size();
      batch.push_back(with_body(arguments_.head, *std::exchange(ahead_, std::nullopt)));
    }
    while (batch.size() < kBatchMessages) {
      got = batch.empty() ? source.next(line) : source.next(line, kPause);
      if (got != LineSource::Got::kLine) break;
      bytes += line.size();
      if (bytes > kBatchBytes && !batch.empty()) {
        ahead_ = std::move(line);
        break;
      }
      batch.push_back(with_body(arguments_.head, line));
    }
    return batch;
  }

  Result<void> send(std::vector<Message> batch) {
    SendOptions options = arguments_.options;
    // Each batch is a call, and needs a request id of its own.
    if (!options.request_id.empty()) options.request_id += fmt::format(".{}", tally_.lines);
    auto answers = broker_.send_batch(arguments_.queue, std::move(batch), options);
    if (!answers) return tl::unexpected(answers.error());
    for (const Result<Sent>& sent : *answers) take(sent);
    session_.out().flush();  // a reader of the output must not have to wait for more input
    return {};
  }

  void take(const Result<Sent>& sent) {
    const std::uint64_t line = ++tally_.lines;
    if (!sent) {
      ++tally_.refused;
      session_.report({sent.error().code, fmt::format("line {}: {}", line, sent.error().message)},
                      {{"line", line}});
      return;
    }
    sent->duplicate ? ++tally_.duplicates : ++tally_.sent[sent->durability];
    if (session_.json()) session_.print(to_json(*sent));
  }

  // Reports an error. The lines after those that were handled were not sent.
  Result<void> stop(const Error& error) {
    if (tally_.lines > 0)
      session_.note(fmt::format("stopped after line {}: {}", tally_.lines, tally_.text()));
    return tl::unexpected(error);
  }

  CommandSession& session_;
  Broker& broker_;
  const SendArguments& arguments_;
  std::optional<std::string> ahead_;  // a line for which the last batch had no room
  Tally tally_;
};

// OpenFile is a file that is open as long as this object lives.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

Result<void> send_lines(CommandSession& session, const SendArguments& arguments) {
  const auto send_all = [&](LineSource& source) -> Result<void> {
    auto broker = session.broker();
    if (!broker) return tl::unexpected(broker.error());
    return LineSender(session, **broker, arguments).send_all(source);
  };
  if (is_standard_input(arguments)) return send_all(*session.lines_in());
  if (arguments.file.empty()) {
    std::istringstream body(*arguments.body);
    return send_all(*lines_of(body));
  }
  if (auto ok = check_readable(arguments.file, source_name(arguments)); !ok) return ok;
  const OpenFile file(arguments.file);
  if (file.descriptor() < 0) return tl::unexpected(unreadable(source_name(arguments), errno));
  return send_all(*lines_of(file.descriptor()));
}

Result<void> send(CommandSession& session, const SendArguments& arguments) {
  if (arguments.file.empty() && !arguments.body && !arguments.lines) {
    return fail(ErrorCode::kInvalidArgument, "there is no body: give it as an argument, as - or with --file");
  }
  return arguments.lines ? send_lines(session, arguments) : send_one(session, arguments);
}

}  // namespace

void add_send(CLI::App& root, CommandSession& session) {
  auto arguments = std::make_shared<SendArguments>();
  CLI::App& verb =
      add_verb(root, session, "send", "Send a message, or one for each line",
               {"holdfast send orders '42 widgets'",
                "holdfast send orders '42 widgets' --attribute correlation-id=c-17",
                "holdfast send orders --file order.json", "date | holdfast send orders - --strip-newline",
                "producer | holdfast send orders --lines"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  auto* body = verb.add_option("body", arguments->body, "The body; - reads it from standard input");
  verb.add_option("--file", arguments->file, "Read the body from this file; - for standard input")
      ->type_name("PATH")
      ->excludes(body);
  auto* lines = verb.add_flag("--lines", arguments->lines,
                              "Send one message per line, also for an empty one, as lines arrive and many at "
                              "a time; from standard input if there is neither a body nor a file");
  verb.add_flag("--strip-newline", arguments->strip_newline,
                "Leave out the line break at the end of what is read, if there is one")
      ->excludes(lines);
  add_attributes(verb, arguments->head.attributes);
  verb.add_option("--dedup-id", arguments->head.deduplication_id,
                  "Names this send, for queues with --dedup: a second send with this id adds no message")
      ->excludes("--lines");
  verb.add_option("--group", arguments->head.group,
                  "The message group, for queues that are --ordered or --fair");
  verb.add_option("--priority", arguments->head.priority,
                  "The priority, for queues with --priorities N: 0, the lowest, to N-1 [0]")
      ->check(check_number);
  add_duration(verb, "--delay", arguments->head.delay, "Cannot be received for this long [the queue's]");
  add_duration(verb, "--ttl", arguments->head.time_to_live, "Expires after this long [the queue's]");
  add_time(verb, "--visible-at", arguments->head.visible_at, "Cannot be received before this time");
  add_durability(verb, arguments->options.durability);
  add_request_id(verb, arguments->options.request_id);
  on_run(verb, session, [arguments](CommandSession& s) { return send(s, *arguments); });
}

}  // namespace holdfast::command
