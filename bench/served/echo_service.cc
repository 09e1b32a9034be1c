#include "bench/served/echo_service.h"

#include <capnp/ez-rpc.h>
#include <kj/async.h>

#include <thread>

#include "bench/served/echo.capnp.h"

namespace holdfast::bench {
namespace {

constexpr std::uint64_t kAnySize = 1ULL << 32U;

class EchoServer final : public wire::Echo::Server {
  kj::Promise<void> echo(EchoContext context) override {
    context.getResults().setBodies(context.getParams().getBodies());
    return kj::READY_NOW;
  }
};

class Connection {
 public:
  explicit Connection(const std::string& address)
      : client_(address.c_str(), 0, {.traversalLimitInWords = kAnySize}),
        echo_(client_.getMain<wire::Echo>()) {}

  void echo(const Bodies& bodies) {
    auto request = echo_.echoRequest();
    auto list = request.initBodies(static_cast<unsigned>(bodies.size()));
    for (unsigned i = 0; i < list.size(); ++i)
      list.set(i, {reinterpret_cast<const kj::byte*>(bodies[i].data()), bodies[i].size()});
    const auto reply = request.send().wait(client_.getWaitScope());
    if (reply.getBodies().size() != bodies.size()) throw BenchError("echo: bodies are missing");
  }

 private:
  capnp::EzRpcClient client_;
  wire::Echo::Client echo_;
};

class EchoCaller final : public Producer {
 public:
  explicit EchoCaller(std::string address) : address_(std::move(address)) {}

  void send(const Bodies& bodies) override {
    try {
      // The connection is the thread's own, since KJ's loop belongs to a thread.
      thread_local Connection connection(address_);
      connection.echo(bodies);
    } catch (const kj::Exception& e) {
      throw BenchError(std::string("echo: ") + e.getDescription().cStr());
    }
  }

 private:
  const std::string address_;
};

// Returns whether the server answers. The call is made on a thread of its own, whose end closes the
// connection.
bool answers(const std::string& address) {
  bool answered = false;
  std::jthread([&] {
    try {
      EchoCaller(address).send({"x"});
      answered = true;
    } catch (const BenchError&) {
      answered = false;
    }
  }).join();
  return answered;
}

}  // namespace

EchoService::EchoService(const std::filesystem::path& directory)
    : address_("127.0.0.1:" + std::to_string(free_port())),
      process_({"/proc/self/exe", "serve-echo", address_}, directory / "echo.log") {
  wait_until_ready(process_, directory / "echo.log", [this] { return answers(address_); });
}

void EchoService::make_queue(const std::string& /*queue*/, const Workload& /*workload*/) {}

std::unique_ptr<Producer> EchoService::producer(const std::string& /*queue*/, const Workload& /*workload*/) {
  return std::make_unique<EchoCaller>(address_);
}

std::unique_ptr<Consumer> EchoService::consumer(const std::string& /*queue*/, const Workload& /*workload*/) {
  return nullptr;
}

void serve_echo(const std::string& address) {
  capnp::EzRpcServer server(kj::heap<EchoServer>(), address.c_str(), 0, {.traversalLimitInWords = kAnySize});
  kj::NEVER_DONE.wait(server.getWaitScope());
}

}  // namespace holdfast::bench
