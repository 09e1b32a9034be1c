#include "bench/pipeline/process.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "bench/harness/spawn.h"
#include "bench/harness/workload.h"

namespace holdfast::bench {
namespace {

using namespace std::chrono_literals;

// Returns the last lines of the log, for the text of an error.
std::string end_of(const std::filesystem::path& log) {
  constexpr std::size_t kEnd = 500;
  std::ifstream in(log);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.size() > kEnd ? text.substr(text.size() - kEnd) : text;
}

struct Stat {
  pid_t parent = 0;
  double cpu_seconds = 0;
};

// Reads the file as proc(5) describes it. The name may contain spaces, and ends with the last parenthesis.
Stat read_stat(const std::filesystem::path& process) {
  std::ifstream in(process / "stat");
  std::string text;
  std::getline(in, text);
  const auto end = text.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream rest(text.substr(end + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  constexpr std::size_t kParent = 1;
  constexpr std::size_t kUser = 11;
  constexpr std::size_t kSystem = 12;
  if (fields.size() <= kSystem) return {};
  const double ticks = std::stod(fields[kUser]) + std::stod(fields[kSystem]);
  return {static_cast<pid_t>(std::stol(fields[kParent])), ticks / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

double memory_mib(const std::filesystem::path& process) {
  std::ifstream in(process / "smaps_rollup");
  std::string word;
  while (in >> word) {
    if (word != "Pss:") continue;
    double kib = 0;
    in >> kib;
    return kib / 1024;
  }
  return 0;
}

std::map<pid_t, Stat> all_processes() {
  std::map<pid_t, Stat> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }))
      all[static_cast<pid_t>(std::stol(name))] = read_stat(entry.path());
  }
  return all;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const std::filesystem::path& log,
                 const std::vector<std::string>& environment)
    : pid_(spawn(command, log, environment)) {}

Process::~Process() {
  if (!is_running()) return;
  ::kill(pid_, SIGTERM);
  for (int i = 0; i < 1000 && is_running(); ++i) std::this_thread::sleep_for(10ms);
  if (!is_running()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool Process::is_running() {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ > 0;
}

ProcessUse use_of(pid_t pid) {
  const auto all = all_processes();
  std::set<pid_t> family = {pid};
  for (std::size_t before = 0; before != family.size();) {
    before = family.size();
    for (const auto& [id, stat] : all) {
      if (family.contains(stat.parent)) family.insert(id);
    }
  }
  ProcessUse use;
  for (const pid_t id : family) {
    const auto found = all.find(id);
    if (found != all.end()) use.cpu_seconds += found->second.cpu_seconds;
    use.memory_mib += memory_mib("/proc/" + std::to_string(id));
  }
  return use;
}

void run_program(const std::vector<std::string>& command, const std::filesystem::path& log,
                 const std::vector<std::string>& environment) {
  const pid_t pid = spawn(command, log, environment);
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid || status != 0)
    throw BenchError(command.front() + " failed: " + end_of(log));
}

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool found = ::bind(socket, any, size) == 0 && ::getsockname(socket, any, &size) == 0;
  ::close(socket);
  if (!found) throw BenchError("there is no free port");
  return ntohs(address.sin_port);
}

void wait_until_ready(Process& process, const std::filesystem::path& log, const std::function<bool()>& ready,
                      std::chrono::seconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!ready()) {
    if (!process.is_running()) throw BenchError("the server ended: " + end_of(log));
    if (std::chrono::steady_clock::now() > deadline)
      throw BenchError("the server is not ready: " + end_of(log));
    std::this_thread::sleep_for(20ms);
  }
}

}  // namespace holdfast::bench
