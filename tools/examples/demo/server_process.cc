#include "tools/examples/demo/server_process.h"

#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <optional>
#include <thread>

namespace holdfast::demo {
namespace {

constexpr auto kStartTimeout = std::chrono::seconds(30);
constexpr std::string_view kMark = "listening on ";
constexpr auto kPause = std::chrono::milliseconds(10);

Result<Process> launch(const std::filesystem::path& program, const std::filesystem::path& data,
                       const std::string& listen, const std::filesystem::path& log) {
  return Process::start({program, "--data", data, "--listen", listen}, log);
}

// Returns the address in the server's line "listening on ADDRESS"; nothing as long as there is no such line.
std::optional<std::string> address_in(const std::filesystem::path& log) {
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);) {
    const auto at = line.find(kMark);
    if (at == std::string::npos || in.eof()) continue;
    const auto begin = at + kMark.size();
    return line.substr(begin, line.find_first_of(" ,", begin) - begin);
  }
  return std::nullopt;
}

}  // namespace

Result<ServerProcess> ServerProcess::start(const std::filesystem::path& program,
                                           const std::filesystem::path& data,
                                           const std::filesystem::path& log) {
  auto process = launch(program, data, "127.0.0.1:0", log);
  if (!process) return tl::unexpected(process.error());
  const auto give_up = std::chrono::steady_clock::now() + kStartTimeout;
  while (!process->poll() && std::chrono::steady_clock::now() < give_up) {
    if (auto address = address_in(log))
      return ServerProcess(program, data, log, std::move(*process), *address);
    std::this_thread::sleep_for(kPause);
  }
  return fail(ErrorCode::kUnavailable,
              fmt::format("{} did not start; see {}", program.string(), log.string()));
}

ServerProcess::ServerProcess(std::filesystem::path program, std::filesystem::path data,
                             std::filesystem::path log, Process process, std::string address)
    : program_(std::move(program)),
      data_(std::move(data)),
      log_(std::move(log)),
      process_(std::move(process)),
      address_(std::move(address)) {}

Result<void> ServerProcess::kill_and_restart() {
  process_.send(SIGKILL);
  process_.wait();
  auto process = launch(program_, data_, address_, log_);
  if (!process) return tl::unexpected(process.error());
  process_ = std::move(*process);
  return {};
}

Result<void> ServerProcess::stop() {
  process_.send(SIGTERM);
  const Ending ending = process_.wait();
  if (ending.status == 0 && ending.signal == 0) return {};
  return fail(ErrorCode::kInternal, fmt::format("holdfastd stopped with status {}, signal {}; see {}",
                                                ending.status, ending.signal, log_.string()));
}

}  // namespace holdfast::demo
