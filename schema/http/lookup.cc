#include "schema/http/lookup.h"

#include <netdb.h>
#include <sys/socket.h>

#include <system_error>
#include <thread>
#include <utility>

#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"

namespace holdfast::http {

struct Lookup::State {
  // Sets the answer. Only the first one counts.
  void set(Result<Addresses> answer) {
    const sync::Lock lock(mutex);
    if (!found) found = std::move(answer);
    changed.notify_all();
  }

  sync::Mutex mutex;
  sync::ConditionVariable changed;
  std::optional<Result<Addresses>> found HOLDFAST_GUARDED_BY(mutex);
};

Result<Addresses> resolve_host(const std::string& host) {
  const auto failed = [&](int error) {
    return fail(ErrorCode::kUnavailable, host + ": " + ::gai_strerror(error));
  };
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;  // otherwise each address comes once for each type
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
    // The thread uses only what it owns.
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
  const sync::Lock lock(state_->mutex);
  return state_->found.has_value();
}

std::optional<Result<Addresses>> Lookup::wait_until(std::chrono::steady_clock::time_point deadline) const {
  sync::Lock lock(state_->mutex);
  bool in_time = true;
  while (!state_->found && in_time) in_time = state_->changed.wait_until(lock, deadline);
  return state_->found;
}

void Lookup::give_up(Error error) const { state_->set(tl::unexpected(std::move(error))); }

}  // namespace holdfast::http
