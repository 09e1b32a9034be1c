// `holdfast dlq export` and `import` write dead letters to a file and put them back under their own ids. The
// files have the form of the engine's own archive, and an export that fails leaves an earlier file as it was.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

#include "engine/base/validation/validate.h"
#include "engine/codec/dead_letters/archive_line.h"
#include "engine/storage/files/archive_file.h"
#include "engine/storage/files/directories.h"
#include "holdfast/limits.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/texts/input.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

struct ArchiveArguments {
  std::string queue;
  std::string file;
  FilterArguments filter;
  Redaction redact;
  bool force = false;
};

// Returns whether the file is standard output or standard input.
bool is_stream(const ArchiveArguments& arguments) { return arguments.file == "-"; }

// ExportFile is the file that an export is written to. It is written under another name until it is whole, so
// that an export that fails leaves the earlier file as it was. No other file has that name, so what somebody
// else writes at the same time, or has written, stays as it is. Pipes and devices are written to directly.
class ExportFile {
 public:
  Result<void> open(const ArchiveArguments& arguments) {
    path_ = arguments.file;
    std::error_code ignored;
    const auto status = std::filesystem::status(path_, ignored);
    const bool replaces = std::filesystem::is_regular_file(status);
    if (replaces && !arguments.force)
      return fail(ErrorCode::kInvalidArgument, path_ + " exists already: --force replaces it");
    if (replaces || !std::filesystem::exists(status)) {
      if (auto ok = create_part(); !ok) return ok;
    }
    stream_.open(part_.empty() ? path_ : part_, std::ios::binary | std::ios::trunc);
    return stream_ ? Result<void>() : not_written();
  }
  ExportFile() = default;
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;
  ~ExportFile() {
    std::error_code ignored;
    if (!part_.empty()) std::filesystem::remove(part_, ignored);
  }

  std::ostream& stream() { return stream_; }

  Result<void> finish() {
    stream_.close();
    if (!stream_) return not_written();
    if (part_.empty()) return {};
    // People discard dead letters once they are exported, so the file must outlast a power loss by then.
    std::error_code error = sync_file(part_);
    if (!error) std::filesystem::rename(part_, path_, error);
    if (error) return not_written(error);
    part_.clear();
    error = sync_directory(std::filesystem::absolute(path_).parent_path());
    if (error) return not_written(error);
    return {};
  }

 private:
  Result<void> create_part() {
    for (std::random_device random;;) {
      const std::string name = fmt::format("{}.{:08x}.part", path_, random());
      const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor < 0 && errno == EEXIST) continue;
      if (descriptor < 0) return not_written();
      ::close(descriptor);
      part_ = name;
      return {};
    }
  }

  tl::unexpected<Error> not_written(const std::error_code& why = {errno, std::generic_category()}) const {
    const bool is_no_place = why == std::errc::no_such_file_or_directory ||
                             why == std::errc::not_a_directory || why == std::errc::is_a_directory ||
                             why == std::errc::permission_denied;
    return fail(is_no_place ? ErrorCode::kInvalidArgument : ErrorCode::kStorageFailed,
                "cannot write " + path_ + ": " + why.message());
  }

  std::string path_;
  std::string part_;  // the other name; empty if the file is written in place
  std::ofstream stream_;
};

Result<std::uint64_t> write_letters(Broker& broker, const ArchiveArguments& arguments, std::ostream& out) {
  auto filter = filter_of(arguments.filter, broker.now());
  if (!filter) return tl::unexpected(filter.error());
  ListDeadLettersOptions options{
      .filter = *std::move(filter), .max = 500, .bodies = true, .redact = arguments.redact};
  std::uint64_t exported = 0;
  do {
    auto page = broker.list_dead_letters(arguments.queue, options);
    if (!page) return tl::unexpected(page.error());
    std::vector<std::string> lines;
    for (const DeadLetter& letter : page->items) {
      if (arguments.redact.empty() && !letter.redacted.empty()) {
        return fail(
            ErrorCode::kPermissionDenied,
            "the server hides a part of the messages from this token, so what is exported could not be "
            "imported: --redact exports the records without it");
      }
      lines.push_back(archive_line(arguments.queue, letter));
    }
    auto frame = compress_lines(lines);
    if (!frame) return tl::unexpected(frame.error());
    if (!(out << *frame)) return fail(ErrorCode::kStorageFailed, "cannot write " + arguments.file);
    exported += lines.size();
    options.after = page->next;
  } while (options.after);
  return exported;
}

Result<void> export_letters(CommandSession& session, const ArchiveArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  ExportFile file;
  if (!is_stream(arguments)) {
    if (auto ok = file.open(arguments); !ok) return ok;
  }
  auto exported = write_letters(**broker, arguments, is_stream(arguments) ? session.out() : file.stream());
  if (!exported) return tl::unexpected(exported.error());
  const std::string done = "exported " + counted(*exported, "dead letter") + " of " + arguments.queue;
  if (is_stream(arguments)) {
    session.note(done);
    return {};
  }
  if (auto ok = file.finish(); !ok) return ok;
  if (session.json()) {
    session.print({{"queue", arguments.queue}, {"exported", *exported}, {"file", arguments.file}});
  } else {
    session.out() << done << " to " << arguments.file << '\n';
  }
  return {};
}

// Reads lines, and sends their dead letters in batches.
class Importer {
 public:
  Importer(CommandSession& session, Broker& broker, const ArchiveArguments& arguments)
      : session_(session), broker_(broker), arguments_(arguments) {}

  Result<void> take(std::string_view line) {
    ++line_number_;
    auto letter = parse(line);
    if (!letter) {
      session_.warn(fmt::format("{}, line {}: {}", arguments_.file, line_number_, letter.error().message));
      session_.set_exit_status(2);
      ++malformed_;
      return {};
    }
    // The bytes of the lines are an upper bound of those of the letters.
    if (letters_.size() == limits::kListPage || bytes_ + line.size() > limits::kBatchBytes) {
      if (auto ok = flush(); !ok) return ok;
    }
    bytes_ += line.size();
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
    session_.out() << "imported " << counted(done_.imported, "dead letter") << " into " << arguments_.queue
                   << '\n';
    if (done_.duplicates > 0) session_.out() << "skipped " << done_.duplicates << " that exist already\n";
    if (done_.refused > 0)
      session_.out() << "skipped " << done_.refused << " that are only a record, without a message\n";
    if (malformed_ > 0) session_.out() << "refused " << counted(malformed_, "malformed line") << '\n';
  }

 private:
  // The engine refuses a batch for one bad letter, so each is checked before it gets into one.
  static Result<DeadLetter> parse(std::string_view line) {
    auto letter = parse_archive_line(line);
    if (!letter || letter->history) return letter;
    if (auto ok = validate(*letter); !ok) return tl::unexpected(ok.error());
    return letter;
  }

  CommandSession& session_;
  Broker& broker_;
  const ArchiveArguments& arguments_;
  std::vector<DeadLetter> letters_;
  std::size_t bytes_ = 0;
  std::uint64_t line_number_ = 0;
  std::uint64_t malformed_ = 0;
  DeadLettersImported done_;
};

Result<std::string> read_archive(CommandSession& session, const ArchiveArguments& arguments) {
  if (is_stream(arguments)) return read_all(session.in(), "standard input");
  return read_file(arguments.file, arguments.file);
}

Result<void> import_letters(CommandSession& session, const ArchiveArguments& arguments) {
  auto bytes = read_archive(session, arguments);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto archive = ArchiveReader::open(*bytes);
  if (!archive) return fail(archive.error().code, arguments.file + ": " + archive.error().message);
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  warn_of_consumers(session, **broker, arguments.queue);
  Importer importer(session, **broker, arguments);
  Result<void> done =
      archive->for_each_line([&importer](std::string_view line) { return importer.take(line); });
  if (done) done = importer.flush();
  importer.report();  // also tells what was imported before an error
  if (!done) return done;
  if (!archive->torn()) return {};
  return fail(ErrorCode::kCorruption,
              arguments.file +
                  " is cut off: its complete part was imported. The rest is lost, unless a crash during "
                  "archiving cut it off: then the rest is still in its queue");
}

}  // namespace

void add_dlq_archive(CLI::App& group, CommandSession& session) {
  auto exported = std::make_shared<ArchiveArguments>();
  CLI::App& out = add_verb(group, session, "export", "Write dead letters to a file: JSON lines, zstd",
                           {"holdfast dlq export orders-dlq orders.jsonl.zst --older-than 7d",
                            "holdfast dlq export orders-dlq - | zstdcat | jq .reason"});
  out.add_option("queue", exported->queue, "The dead letter queue")->required();
  out.add_option("file", exported->file, "The file, which must be new; - for standard output")->required();
  out.add_flag("--force", exported->force, "Replace an existing file");
  add_filter(out, exported->filter);
  add_redaction(out, exported->redact);
  on_run(out, session, [exported](CommandSession& s) { return export_letters(s, *exported); });

  auto imported = std::make_shared<ArchiveArguments>();
  CLI::App& in =
      add_verb(group, session, "import",
               "Put exported or archived dead letters back, under their own ids: JSON lines, plain or zstd",
               {"holdfast dlq import orders-dlq data/archive/orders-dlq-20260301T093000Z.jsonl.zst",
                "zstdcat orders.jsonl.zst | jq -c 'select(.category == \"timeout\")' | holdfast dlq import "
                "orders-dlq -"});
  in.add_option("queue", imported->queue, "The dead letter queue")->required();
  in.add_option("file", imported->file, "The file; - for standard input")->required();
  on_run(in, session, [imported](CommandSession& s) { return import_letters(s, *imported); });
}

}  // namespace holdfast::command
