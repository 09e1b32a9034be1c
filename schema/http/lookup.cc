#include "schema/http/lookup.h"

#include <netdb.h>
#include <sys/socket.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace holdfast::http {

struct Lookup::State {
  // The first counts.
  void set(Result<Addresses> answer) {
    const std::scoped_lock lock(mutex);
    if (!found) found = std::move(answer);
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Result<Addresses>> found;
};

Result<Addresses> resolve_host(const std::string& host) {
  const auto failed = [&](int error) {
    return fail(ErrorCode::kUnavailable, host + ": " + ::gai_strerror(error));
  };
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;  // else each address is there once for each type
  addrinfo* list = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &list); error != 0) return failed(error);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(list, ::freeaddrinfo);
  Addresses addresses;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    char text[NI_MAXHOST];
    const int error =
        ::getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    if (error != 0) return failed(error);
    addresses.emplace_back(text);
  }
  return addresses;
}

Result<Lookup> Lookup::start(Resolve resolve, std::string host) {
  auto state = std::make_shared<State>();
  try {
    // It has nothing but what it owns.
    std::thread([state, resolve = std::move(resolve), host = std::move(host)] {
      try {
        state->set(resolve(host));
      } catch (const std::exception& e) {
        state->set(fail(ErrorCode::kUnavailable, e.what()));
      }
    }).detach();
  } catch (const std::system_error& e) {
    return fail(ErrorCode::kUnavailable, std::string("no thread to look up a host with: ") + e.what());
  }
  return Lookup(std::move(state));
}

bool Lookup::over() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->found.has_value();
}

std::optional<Result<Addresses>> Lookup::wait_until(std::chrono::steady_clock::time_point deadline) const {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_until(lock, deadline, [this] { return state_->found.has_value(); });
  return state_->found;
}

void Lookup::give_up(Error error) const { state_->set(tl::unexpected(std::move(error))); }

}  // namespace holdfast::http
