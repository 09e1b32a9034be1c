// A connection to a server in this process that says what the fuzzer wants it to.
#include <capnp/rpc.capnp.h>
#include <capnp/schema.h>
#include <capnp/serialize.h>
#include <spdlog/sinks/null_sink.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>

#include "fuzz/target.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "server/server.h"
#include "storage/memory_store.h"
#include "support/manual_clock.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace holdfast::fuzz {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using testing::must;

class Served {
 public:
  Served()
      : engine_(
            must(Engine::open(must(open_memory_store(std::make_shared<MemoryDisk>(1))), engine_options()))) {
    must(engine_.create_queue("orders"));
    server::ServerOptions options;
    options.listen = {"unix:" + socket_.string()};
    options.log = std::make_shared<spdlog::logger>("fuzz", std::make_shared<spdlog::sinks::null_sink_mt>());
    server_.emplace(must(server::Server::start(engine_, std::move(options))));
  }

  // Says it, and reads until the server hangs up.
  void talk(std::string_view bytes) {
    stream_protocol::socket socket(io_);
    socket.connect(stream_protocol::endpoint(socket_.string()));
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bytes), error);
    socket.shutdown(stream_protocol::socket::shutdown_send, error);
    std::array<char, 4096> answer{};
    for (error = {}; !error;) socket.read_some(asio::buffer(answer), error);
  }

  // Nothing grows from one input to the next.
  void clean() {
    for (const QueueInfo& queue : must(engine_.list_queues())) {
      if (queue.name == "orders") must(engine_.purge_queue("orders"));
    }
  }

 private:
  EngineOptions engine_options() { return {.clock = &clock_, .background = false, .free_space_reserve = 0}; }

  testing::TempDir directory_;
  testing::ManualClock clock_;
  const std::filesystem::path socket_ = directory_ / "socket";
  Engine engine_;
  std::optional<server::Server> server_;
  asio::io_context io_;
};

using RpcMessage = capnp::rpc::Message::Builder;

template <class Fill>
std::string message(Fill&& fill) {
  capnp::MallocMessageBuilder builder;
  fill(builder.initRoot<capnp::rpc::Message>());
  const auto words = capnp::messageToFlatArray(builder);
  const auto chars = words.asChars();
  return {chars.begin(), chars.size()};
}

std::string bootstrap() {
  return message([](RpcMessage root) { root.initBootstrap().setQuestionId(0); });
}

// A call of the broker that bootstrap() asked for.
template <class Params, class Fill>
std::string call(std::uint16_t method, Fill&& fill) {
  return message([&](RpcMessage root) {
    auto call = root.initCall();
    call.setQuestionId(1);
    call.initTarget().initPromisedAnswer().setQuestionId(0);
    call.setInterfaceId(capnp::typeId<wire::Broker>());
    call.setMethodId(method);
    fill(call.initParams().getContent().template initAs<Params>());
  });
}

}  // namespace

void run_rpc(std::string_view input) {
  static Served served;
  served.talk(input);
  served.clean();
}

std::vector<std::string> rpc_seeds() {
  const auto schema = capnp::Schema::from<wire::Broker>();
  const auto number = [&](const char* name) {
    return static_cast<std::uint16_t>(schema.getMethodByName(name).getOrdinal());
  };
  std::vector<std::string> seeds{bootstrap()};
  seeds.push_back(bootstrap() + call<wire::SendRequest>(number("sendBatch"), [](auto params) {
                    params.setQueue("orders");
                    params.initMessages(1)[0].setBody(capnp::Data::Reader());
                  }));
  seeds.push_back(bootstrap() + call<wire::ReceiveRequest>(number("receive"),
                                                           [](auto params) { params.setQueue("orders"); }));
  // Every other call, with nothing said.
  for (const auto& method : schema.getMethods()) {
    seeds.push_back(bootstrap() + call<capnp::AnyPointer>(method.getOrdinal(), [](auto&&) {}));
  }
  return seeds;
}

}  // namespace holdfast::fuzz
