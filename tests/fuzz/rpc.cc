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
#include "fuzz/wire_samples.h"
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
    must(engine_.create_queue(kQueue));
    server::ServerOptions options;
    options.listen = {"unix:" + socket_.string()};
    options.log = std::make_shared<spdlog::logger>("fuzz", std::make_shared<spdlog::sinks::null_sink_mt>());
    server_.emplace(must(server::Server::start(engine_, std::move(options))));
  }

  // Says it, and reads until the server hangs up: how many bytes.
  std::size_t talk(std::string_view bytes) {
    ++talks_;
    stream_protocol::socket socket(io_);
    socket.connect(stream_protocol::endpoint(socket_.string()));
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bytes), error);
    socket.shutdown(stream_protocol::socket::shutdown_send, error);
    std::array<char, 4096> answer{};
    std::size_t read = 0;
    for (error = {}; !error;) read += socket.read_some(asio::buffer(answer), error);
    return read;
  }

  // False if something of an earlier input is left, or much has come together. What the connection asked for
  // may still go on.
  bool is_as_new() {
    const auto queues = must(engine_.list_queues());
    const bool is_there =
        queues.size() == 1 && queues.front().name == kQueue && engine_.purge_queue(kQueue).has_value();
    return talks_ < kTalks && is_there && queues.front().options == QueueOptions{} &&
           queues.front().paused == Pause{} && !server_->drain_status().draining;
  }

 private:
  static constexpr int kTalks = 2000;

  EngineOptions engine_options() { return {.clock = &clock_, .background = false, .free_space_reserve = 0}; }

  testing::TempDir directory_;
  testing::ManualClock clock_;
  const std::filesystem::path socket_ = directory_ / "socket";
  Engine engine_;
  std::optional<server::Server> server_;
  asio::io_context io_;
  int talks_ = 0;
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
template <class Fill>
std::string call(std::uint32_t question, const capnp::InterfaceSchema::Method& method, Fill&& fill_params) {
  return message([&](RpcMessage root) {
    auto call = root.initCall();
    call.setQuestionId(question);
    call.initTarget().initPromisedAnswer().setQuestionId(0);
    call.setInterfaceId(capnp::typeId<wire::Broker>());
    call.setMethodId(method.getOrdinal());
    fill_params(call.initParams().getContent().initAs<capnp::DynamicStruct>(method.getParamType()));
  });
}

}  // namespace

bool run_rpc(std::string_view input) {
  static std::optional<Served> served;
  if (!served || !served->is_as_new()) served.emplace();
  return served->talk(input) > 0;
}

// Each call with nothing said and with everything said, the latter after a message was sent and received.
std::vector<std::string> rpc_seeds() {
  const auto schema = capnp::Schema::from<wire::Broker>();
  const auto say_all = [](capnp::DynamicStruct::Builder params) { fill(params); };
  const auto name_queue = [](capnp::DynamicStruct::Builder params) { params.set("queue", kQueue); };
  const auto send_one = [&](capnp::DynamicStruct::Builder params) {
    name_queue(params);
    params.init("messages", 1);
  };
  const std::string before = bootstrap() + call(1, schema.getMethodByName("sendBatch"), send_one) +
                             call(2, schema.getMethodByName("receive"), name_queue);
  std::vector<std::string> seeds{bootstrap(), before};
  for (const auto method : schema.getMethods()) {
    seeds.push_back(bootstrap() + call(1, method, [](auto&&) {}));
    seeds.push_back(before + call(3, method, say_all));
  }
  return seeds;
}

}  // namespace holdfast::fuzz
