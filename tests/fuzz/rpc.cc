// A connection to a server in this process that says what the fuzzer wants it to.
#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/rpc.capnp.h>
#include <capnp/schema.h>
#include <capnp/serialize.h>
#include <kj/exception.h>
#include <poll.h>
#include <spdlog/sinks/null_sink.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <map>
#include <optional>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/limits.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/protocol/protocol_methods.h"
#include "schema/transport/frames/frame_reader.h"
#include "schema/transport/rpc_connection.h"
#include "server/net/server.h"
#include "tests/fuzz/rpc_found.h"
#include "tests/fuzz/target.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::fuzz {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using testing::must;

constexpr std::size_t kBufferBytes = 64 << 10;

// Calls `hear(message)` for each that has come in whole.
template <class Hear>
void take_messages(transport::FrameReader& frames, Hear hear) {
  for (bool taken = true; taken;) {
    taken = false;
    KJ_IF_MAYBE (next, frames.next(transport::reader_options())) {
      hear((*next)->getRoot<capnp::rpc::Message>());
      taken = true;
    }
  }
}

// Returns whether the reply refuses the call for want of a right. What a caller may not know of is answered
// as if it were not there.
bool is_refusal(capnp::DynamicStruct::Reader reply) {
  using enum ErrorCode;
  KJ_IF_MAYBE (said, reply.which()) {
    if (said->getProto().getName() != "error") return false;
    const auto error = reply.get(*said).as<capnp::DynamicStruct>().as<wire::Error>();
    const ErrorCode code = convert::read(error).code;
    return code == kPermissionDenied || code == kQueueNotFound || code == kTaskNotFound;
  }
  return false;
}

bool is_good(capnp::DynamicStruct::Reader reply) {
  KJ_IF_MAYBE (said, reply.which()) {
    if (said->getProto().getName() == "error") return false;
    const auto ok = said->getProto().isGroup() ? reply.get(*said).as<capnp::DynamicStruct>() : reply;
    KJ_IF_MAYBE (failed, ok.getSchema().findFieldByName("failed"))
      return ok.get(*failed).as<capnp::DynamicList>().size() == 0;
  }
  return true;
}

bool is_wanted(std::uint32_t question, capnp::DynamicStruct::Reader reply) {
  if (question >= kMustBeRefused) return is_refusal(reply);
  return question >= kMayFail || is_good(reply);
}

// The questions of an input, and whether they were answered.
class Questions {
 public:
  // Takes the questions in front of the first bytes that are no message.
  explicit Questions(std::string_view input) {
    transport::FrameReader frames(kBufferBytes);
    (void)kj::runCatchingExceptions([&] {
      while (!input.empty()) {
        const std::size_t taken = asio::buffer_copy(frames.space(), asio::buffer(input));
        frames.filled(taken);
        input.remove_prefix(taken);
        take_messages(frames, [this](capnp::rpc::Message::Reader said) { note(said); });
      }
    });
    well_ = !open_.empty();
  }

  bool are_open() const { return !open_.empty(); }
  // Returns whether each question was answered as its number says that it must be.
  bool went_well() const { return open_.empty() && well_; }

  void take(capnp::rpc::Return::Reader answer) {
    const auto question = open_.find(answer.getAnswerId());
    if (question == open_.end()) return;
    const auto& [number, type] = *question;
    well_ = well_ && answer.isResults();
    if (answer.isResults() && type)
      well_ = well_ && is_wanted(number, answer.getResults().getContent().getAs<capnp::DynamicStruct>(*type));
    open_.erase(question);
  }

 private:
  using Type = std::optional<capnp::StructSchema>;

  void note(capnp::rpc::Message::Reader said) {
    if (said.isBootstrap()) open_.emplace(said.getBootstrap().getQuestionId(), Type());
    if (said.isCall()) open_.emplace(said.getCall().getQuestionId(), reply_type(said.getCall()));
    if (said.isFinish()) open_.erase(said.getFinish().getQuestionId());
  }

  static Type reply_type(capnp::rpc::Call::Reader call) {
    const auto number = protocol::find_method_number(call.getInterfaceId(), call.getMethodId());
    if (!number) return {};
    return protocol::methods()[*number].getResultType();
  }

  std::map<std::uint32_t, Type> open_;  // by number; with the type of its reply, if that is known
  bool well_ = false;
};

// A server in this process. It is made anew for each input, so that ids and receipts are the same for all
// inputs, and what an input does never depends on the inputs before it.
class Served {
 public:
  Served()
      : engine_(must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                             engine_options()))),
        found_(prepare(engine_)) {
    server::ServerOptions options;
    options.listen = {"unix:" + socket_.string()};
    options.blocking_threads = 1;
    options.tokens = tokens();
    options.log = std::make_shared<spdlog::logger>("fuzz", std::make_shared<spdlog::sinks::null_sink_mt>());
    server_.emplace(must(server::Server::start(engine_, std::move(options))));
  }

  const Found& found() const { return found_; }

  // Sends the bytes, reads the answers, and then reads on until the server hangs up. Returns whether all
  // questions were answered as they must be.
  bool talk(std::string_view bytes) {
    Questions questions(bytes);
    stream_protocol::socket socket(io_);
    socket.connect(stream_protocol::endpoint(socket_.string()));
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bytes), error);
    hear_answers(socket, questions);
    socket.shutdown(stream_protocol::socket::shutdown_send, error);
    std::array<char, 4096> rest{};
    for (error = {}; !error;) socket.read_some(asio::buffer(rest), error);
    return questions.went_well();
  }

 private:
  static constexpr int kSilenceMillis = 5;
  // So many silences are longer than any machine takes to answer. Only a call that waits for real time, such
  // as the status of a drain, is still without an answer then.
  static constexpr int kSilences = 100;
  static constexpr int kSilencesOfDrain = 20;
  // The time that goes by is shorter than kLeaseMax, so that the messages that prepare() leases stay leased.
  static constexpr int kHours = 10;

  EngineOptions engine_options() {
    return {.clock = &clock_, .background = false, .free_space_reserve = 0, .id_salt = 1};
  }

  void hear_answers(stream_protocol::socket& socket, Questions& questions) {
    transport::FrameReader frames(kBufferBytes);
    boost::system::error_code error;
    for (int silences = 0; questions.are_open() && !error;) {
      if (!is_readable(socket)) {
        if (++silences > (server_->drain_status().draining ? kSilencesOfDrain : kSilences)) return;
        if (silences <= kHours) clock_.advance(limits::kWaitMax);
        engine_.run_due();
        continue;
      }
      frames.filled(socket.read_some(frames.space(), error));
      take_messages(frames, [&](capnp::rpc::Message::Reader heard) {
        if (heard.isReturn()) questions.take(heard.getReturn());
        if (heard.isCall()) accept(socket, heard.getCall().getQuestionId());
      });
    }
  }

  static bool is_readable(stream_protocol::socket& socket) {
    pollfd poll{.fd = socket.native_handle(), .events = POLLIN, .revents = 0};
    return ::poll(&poll, 1, kSilenceMillis) > 0;
  }

  // Answers a push.
  static void accept(stream_protocol::socket& socket, std::uint32_t question) {
    capnp::MallocMessageBuilder answer;
    auto done = answer.initRoot<capnp::rpc::Message>().initReturn();
    done.setAnswerId(question);
    done.initResults();
    const auto words = capnp::messageToFlatArray(answer);
    const auto bytes = words.asBytes();
    boost::system::error_code error;
    asio::write(socket, asio::buffer(bytes.begin(), bytes.size()), error);
  }

  testing::TempDir directory_;
  testing::ManualClock clock_;
  const std::filesystem::path socket_ = directory_ / "socket";
  Engine engine_;
  const Found found_;
  std::optional<server::Server> server_;
  asio::io_context io_;
};

}  // namespace

bool run_rpc(std::string_view input) { return Served().talk(input); }

Found what_is_found() { return Served().found(); }

}  // namespace holdfast::fuzz
