#include "server/archive/command_sink.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace holdfast::server {
namespace {

constexpr std::size_t kComplaintBytes = 512;  // the last bytes of standard error that are kept
// The program's end, a stop and the end of its time may go unnoticed for this many milliseconds.
constexpr int kLookMillis = 20;

std::string text_of(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }

  int get() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// The terms of posix_spawn: the ends of the pipes and nothing else that is open, a process group of its own,
// and signals as a program expects them. A daemon's threads block some signals and ignore others.
class SpawnTerms {
 public:
  SpawnTerms(int input, int complaints) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, complaints, STDERR_FILENO);
    // A socket that the program kept open would hold the server's address, and would hide its end from
    // clients.
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnTerms(const SpawnTerms&) = delete;
  SpawnTerms& operator=(const SpawnTerms&) = delete;
  ~SpawnTerms() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // Returns 0 and the process, or an error number.
  int spawn(std::vector<std::string> words, std::vector<std::string> environment, pid_t& pid) const {
    const auto pointers = [](std::vector<std::string>& texts) {
      std::vector<char*> list;
      list.reserve(texts.size() + 1);
      for (std::string& text : texts) list.push_back(text.data());
      list.push_back(nullptr);
      return list;
    };
    return ::posix_spawnp(&pid, words[0].c_str(), &actions_, &attributes_, pointers(words).data(),
                          pointers(environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::vector<std::string> environment_of(const ArchiveBatch& batch) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("HOLDFAST_ARCHIVE_")) all.emplace_back(*variable);
  }
  all.push_back("HOLDFAST_ARCHIVE_QUEUE=" + batch.queue);
  all.push_back("HOLDFAST_ARCHIVE_NAME=" + batch.name);
  all.push_back("HOLDFAST_ARCHIVE_COUNT=" + std::to_string(batch.lines.size()));
  return all;
}

// A Run is the program while it runs.
class Run {
 public:
  Run(pid_t pid, Descriptor input, Descriptor complaints)
      : pid_(pid), input_(std::move(input)), complaints_(std::move(complaints)) {
    for (const int end : {input_.get(), complaints_.get()})
      ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    if (!status_ && !is_lost_) end();
  }

  // Takes a step: feeds the program and reads its errors, or waits a moment if there is neither to do.
  void go_on(std::string_view& unread) {
    if (unread.empty()) input_.close();
    std::array<pollfd, 2> wanted{pollfd{input_.get(), POLLOUT, 0}, pollfd{complaints_.get(), POLLIN, 0}};
    (void)::poll(wanted.data(), wanted.size(), kLookMillis);
    if (wanted[0].revents != 0) feed(unread);
    if (wanted[1].revents != 0) listen();
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      is_lost_ = true;
    } else if (info.si_pid != 0) {
      end();
    }
  }

  std::optional<int> status() const { return status_; }
  // Returns whether the program has ended and the system does not say how. Its number may be another's now.
  bool is_lost() const { return is_lost_; }
  // Returns what it said last, on one line.
  std::string complaint() {
    listen();
    std::string text = heard_;
    std::ranges::replace(text, '\n', ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    return text.empty() ? text : ": " + text;
  }

 private:
  // What a program that ended well has left running is its own affair. Otherwise nothing of it may write when
  // the batch comes again, so its whole group is killed, while the group's number still belongs to it.
  void end() {
    siginfo_t info{};
    (void)::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    const bool ended_well = info.si_pid != 0 && info.si_code == CLD_EXITED && info.si_status == 0;
    if (!ended_well) ::kill(-pid_, SIGKILL);
    int status = 0;
    (void)::waitpid(pid_, &status, 0);
    status_ = status;
  }

  void feed(std::string_view& unread) {
    const ssize_t written = ::write(input_.get(), unread.data(), unread.size());
    if (written > 0) unread.remove_prefix(static_cast<std::size_t>(written));
  }

  void listen() {
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while ((got = ::read(complaints_.get(), buffer.data(), buffer.size())) > 0) {
      heard_.append(buffer.data(), static_cast<std::size_t>(got));
      if (heard_.size() > kComplaintBytes) heard_.erase(0, heard_.size() - kComplaintBytes);
    }
    if (got == 0) complaints_.close();
  }

  const pid_t pid_;
  Descriptor input_;
  Descriptor complaints_;
  std::string heard_;
  std::optional<int> status_;
  bool is_lost_ = false;
};

// Returns whether everything that was written to a pipe has been read. This process keeps the reading end
// open to ask.
bool is_empty(const Descriptor& read_end) {
  int left = 0;
  return ::ioctl(read_end.get(), FIONREAD, &left) == 0 && left == 0;
}

tl::unexpected<Error> failed(const std::string& program, const std::string& what) {
  return fail(ErrorCode::kUnavailable, "the archive: " + program + " " + what);
}

Result<void> judge(const std::string& program, int status, bool all_read, const std::string& complaint) {
  if (WIFSIGNALED(status))
    return failed(program, "ended by signal " + std::to_string(WTERMSIG(status)) + complaint);
  if (WEXITSTATUS(status) != 0)
    return failed(program, "ended with status " + std::to_string(WEXITSTATUS(status)) + complaint);
  if (!all_read) return failed(program, "ended before it had read everything" + complaint);
  return {};
}

}  // namespace

CommandSink::CommandSink(std::vector<std::string> words, Duration timeout)
    : words_(std::move(words)), timeout_(timeout) {}

Result<void> CommandSink::write(const ArchiveBatch& batch, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + timeout_;
  std::string input;
  for (const std::string& line : batch.lines) input.append(line).push_back('\n');
  auto in = make_pipe();
  auto out = make_pipe();
  if (!in || !out) return failed(words_[0], "cannot be started: " + text_of(errno));
  pid_t pid = 0;
  const SpawnTerms terms(in->read.get(), out->write.get());
  if (const int error = terms.spawn(words_, environment_of(batch), pid); error != 0)
    return failed(words_[0], "cannot be started: " + text_of(error));
  out->write.close();
  Run run(pid, std::move(in->write), std::move(out->read));
  std::string_view unread = input;
  while (!run.status()) {
    if (stop.stop_requested()) return fail(ErrorCode::kClosed, "the engine is closed");
    if (std::chrono::steady_clock::now() >= end)
      return failed(words_[0], "took longer than " + format_duration(timeout_) + run.complaint());
    run.go_on(unread);
    if (run.is_lost())
      return failed(words_[0], "ended, and SIGCHLD is ignored, so nothing says how" + run.complaint());
  }
  const bool all_read = unread.empty() && is_empty(in->read);
  return judge(words_[0], *run.status(), all_read, run.complaint());
}

Result<void> check_program(const std::string& program) {
  const auto may_run = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) &&
           ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
  };
  if (program.find('/') != std::string::npos) {
    if (may_run(program)) return {};
  } else {
    const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets variables
    std::istringstream directories(path == nullptr ? "/bin:/usr/bin" : path);
    for (std::string directory; std::getline(directories, directory, ':');) {
      if (may_run(std::filesystem::path(directory) / program)) return {};
    }
  }
  return fail(ErrorCode::kInvalidArgument, "command: '" + program + "' is not a program that can be run");
}

}  // namespace holdfast::server
