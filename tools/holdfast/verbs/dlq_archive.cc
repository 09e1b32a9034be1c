// holdfast dlq export, import: files as the engine's own archive has them.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "codec/archive_line.h"
#include "dlq_verbs.h"
#include "filter_options.h"
#include "holdfast/limits.h"
#include "storage/archive_file.h"

namespace holdfast::command {
namespace {

struct Arguments {
  std::string queue;
  std::string file;
  FilterArguments filter;
  Redaction redact;
};

Result<void> export_letters(Session& session, const Arguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  std::ofstream file(arguments.file, std::ios::binary | std::ios::trunc);
  ListDeadLettersOptions options{
      .filter = filter_of(arguments.filter), .max = 500, .bodies = true, .redact = arguments.redact};
  std::uint64_t exported = 0;
  do {
    auto page = (*broker)->list_dead_letters(arguments.queue, options);
    if (!page) return tl::unexpected(page.error());
    std::vector<std::string> lines;
    for (const DeadLetter& letter : page->items) lines.push_back(archive_line(arguments.queue, letter));
    auto frame = compress_lines(lines);
    if (!frame) return tl::unexpected(frame.error());
    file << *frame;
    exported += lines.size();
    options.after = page->next;
  } while (options.after);
  file.close();
  if (!file) return fail(ErrorCode::kStorageFailed, "cannot write " + arguments.file);
  if (session.json()) {
    session.print({{"queue", arguments.queue}, {"exported", exported}, {"file", arguments.file}});
  } else {
    session.out() << "exported " << exported << " dead letters of " << arguments.queue << " to "
                  << arguments.file << '\n';
  }
  return {};
}

// Reads lines, and sends them in batches.
class Importer {
 public:
  Importer(Session& session, Broker& broker, const Arguments& arguments)
      : session_(session), broker_(broker), arguments_(arguments) {}

  Result<void> take(const std::string& line) {
    ++line_number_;
    auto letter = parse_archive_line(line);
    if (!letter) {
      session_.warn(fmt::format("{}, line {}: {}", arguments_.file, line_number_, letter.error().message));
      session_.set_exit_status(2);
      ++malformed_;
      return {};
    }
    const std::size_t bytes =
        letter->body.size() + limits::kAttributesTotalBytes +
        (letter->original ? letter->original->body.size() + limits::kAttributesTotalBytes : 0);
    if (letters_.size() == limits::kListPage || bytes_ + bytes > limits::kBatchBytes) {
      if (auto ok = flush(); !ok) return ok;
    }
    bytes_ += bytes;
    letters_.push_back(std::move(*letter));
    return {};
  }

  Result<void> flush() {
    bytes_ = 0;
    if (letters_.empty()) return {};
    auto done = broker_.import_dead_letters(arguments_.queue, std::exchange(letters_, {}));
    if (!done) return tl::unexpected(done.error());
    done_.imported += done->imported;
    done_.duplicates += done->duplicates;
    done_.refused += done->refused;
    return {};
  }

  void report() {
    if (session_.json()) {
      session_.print({{"queue", arguments_.queue},
                      {"imported", done_.imported},
                      {"duplicates", done_.duplicates},
                      {"refused", done_.refused},
                      {"malformed", malformed_}});
      return;
    }
    session_.out() << "imported " << done_.imported << " dead letters into " << arguments_.queue << '\n';
    if (done_.duplicates > 0) session_.out() << "skipped " << done_.duplicates << " that are there already\n";
    if (done_.refused > 0) session_.out() << "skipped " << done_.refused << " records without a message\n";
    if (malformed_ > 0) session_.out() << "refused " << malformed_ << " malformed lines\n";
  }

 private:
  Session& session_;
  Broker& broker_;
  const Arguments& arguments_;
  std::vector<DeadLetter> letters_;
  std::size_t bytes_ = 0;
  std::uint64_t line_number_ = 0;
  std::uint64_t malformed_ = 0;
  DeadLettersImported done_;
};

Result<void> import_letters(Session& session, const Arguments& arguments) {
  std::ifstream file(arguments.file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return fail(ErrorCode::kInvalidArgument, "cannot read " + arguments.file);
  auto plain = decompress(bytes);
  if (!plain) return tl::unexpected(plain.error());
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  Importer importer(session, **broker, arguments);
  std::istringstream lines(*plain);
  for (std::string line; std::getline(lines, line);) {
    if (auto ok = importer.take(line); !ok) return ok;
  }
  if (auto ok = importer.flush(); !ok) return ok;
  importer.report();
  return {};
}

}  // namespace

void add_dlq_archive(CLI::App& group, Session& session) {
  auto exported = std::make_shared<Arguments>();
  CLI::App& out = add_verb(group, session, "export", "Write dead letters to a file: JSON lines, zstd",
                           {"holdfast dlq export orders-dlq orders.jsonl.zst --older-than 7d",
                            "zstdcat orders.jsonl.zst | jq .reason"});
  out.add_option("queue", exported->queue, "The dead letter queue")->required();
  out.add_option("file", exported->file, "The file; overwritten")->required();
  add_filter(out, exported->filter);
  add_redaction(out, exported->redact);
  on_run(out, session, [exported](Session& s) { return export_letters(s, *exported); });

  auto imported = std::make_shared<Arguments>();
  CLI::App& in =
      add_verb(group, session, "import", "Put exported or archived dead letters back, under their own ids",
               {"holdfast dlq import orders-dlq data/archive/orders-dlq-20260301T093000Z.jsonl.zst"});
  in.add_option("queue", imported->queue, "The dead letter queue")->required();
  in.add_option("file", imported->file, "The file")->required();
  on_run(in, session, [imported](Session& s) { return import_letters(s, *imported); });
}

}  // namespace holdfast::command
