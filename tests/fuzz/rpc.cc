// A connection to a server in this process that says what the fuzzer wants it to.
#include <capnp/rpc.capnp.h>
#include <capnp/schema.h>
#include <capnp/serialize.h>
#include <kj/debug.h>
#include <poll.h>
#include <spdlog/sinks/null_sink.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "convert/dead_letter_changes.h"
#include "convert/dead_letter_query.h"
#include "convert/push.h"
#include "convert/redrive.h"
#include "convert/settle.h"
#include "convert/trace.h"
#include "fuzz/target.h"
#include "fuzz/wire_samples.h"
#include "holdfast/limits.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "server/server.h"
#include "storage/memory_store.h"
#include "support/manual_clock.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"
#include "transport/frame_reader.h"
#include "transport/rpc_connection.h"

namespace holdfast::fuzz {
namespace {

namespace asio = boost::asio;
using asio::local::stream_protocol;
using testing::must;
using RpcMessage = capnp::rpc::Message::Builder;
using Params = capnp::DynamicStruct::Builder;

constexpr std::size_t kBufferBytes = 64 << 10;

// Questions from this one on may be answered with an error.
constexpr std::uint32_t kMayFail = 100;

template <class Fill>
std::string message(Fill&& fill) {
  capnp::MallocMessageBuilder builder;
  fill(builder.initRoot<capnp::rpc::Message>());
  const auto words = capnp::messageToFlatArray(builder);
  const auto chars = words.asChars();
  return {chars.begin(), chars.size()};
}

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

bool is_good(capnp::DynamicStruct::Reader reply) {
  KJ_IF_MAYBE (said, reply.which()) {
    if (said->getProto().getName() == "error") return false;
    const auto ok = said->getProto().isGroup() ? reply.get(*said).as<capnp::DynamicStruct>() : reply;
    KJ_IF_MAYBE (failed, ok.getSchema().findFieldByName("failed"))
      return ok.get(*failed).as<capnp::DynamicList>().size() == 0;
  }
  return true;
}

// What an input asks, and whether it was answered.
class Questions {
 public:
  // Those before the first that is no message.
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
  // All were answered, and with nothing that is an error.
  bool went_well() const { return open_.empty() && well_; }

  void take(capnp::rpc::Return::Reader answer) {
    const auto question = open_.find(answer.getAnswerId());
    if (question == open_.end()) return;
    const auto& [number, type] = *question;
    well_ = well_ && answer.isResults();
    if (answer.isResults() && type && number < kMayFail)
      well_ = well_ && is_good(answer.getResults().getContent().getAs<capnp::DynamicStruct>(*type));
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
    const auto methods = capnp::Schema::from<wire::Broker>().getMethods();
    if (call.getInterfaceId() != capnp::typeId<wire::Broker>() || call.getMethodId() >= methods.size())
      return {};
    return methods[call.getMethodId()].getResultType();
  }

  std::map<std::uint32_t, Type> open_;  // by number; with the type of its reply, if that is known
  bool well_ = false;
};

// What every connection finds.
struct Found {
  Receipt receipt;    // valid
  MessageId message;  // the leased one
  TaskId task{};      // a redrive that is done
  DeadLetter letter;
};

constexpr const char* kSource = "source";  // whose dead letters come to kQueue
constexpr const char* kDead = "dead";      // where those of kQueue go

// kQueue has a leased message, a dead letter, the history of another and a message that is ready.
Found prepare(Engine& engine) {
  must(engine.create_queue("parked"));
  must(engine.create_queue(kQueue, {.dead_letter_queue = kDead,
                                    .parking_queue = "parked",
                                    .journal = {.max_entries = limits::kJournalEntriesMin}}));
  must(engine.create_queue(kSource, {.dead_letter_queue = kQueue}));
  Found found;
  found.message = must(engine.send(kQueue, {.body = "in hand"})).id;
  found.receipt = must(engine.receive(kQueue, {.lease = limits::kLeaseMax})).front().receipt;
  for (int i = 0; i < 2; ++i) must(engine.send(kSource, {.body = R"({"number":1})"}));
  for (const Delivery& delivery : must(engine.receive(kSource, {.max = 2})))
    must(engine.reject(delivery.receipt, {.category = "validation", .reason = "a bad number"}));
  found.task = must(engine.redrive(kQueue, {.max = 1})).task;
  found.letter = must(engine.list_dead_letters(kQueue, {.bodies = true})).items.front();
  must(engine.send(kQueue, {.body = "ready"}));
  return found;
}

// Made anew for each input, so that ids and receipts are the same in all of them, and an input does the same
// whatever came before it.
class Served {
 public:
  Served()
      : engine_(
            must(Engine::open(must(open_memory_store(std::make_shared<MemoryDisk>(1))), engine_options()))),
        found_(prepare(engine_)) {
    server::ServerOptions options;
    options.listen = {"unix:" + socket_.string()};
    options.blocking_threads = 1;
    options.log = std::make_shared<spdlog::logger>("fuzz", std::make_shared<spdlog::sinks::null_sink_mt>());
    server_.emplace(must(server::Server::start(engine_, std::move(options))));
  }

  const Found& found() const { return found_; }

  // Says it, reads the answers, and then until the server hangs up. Whether all went well.
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
  // More than the busiest machine takes to answer. Only what waits for a real time, as the status of a drain
  // does, is still without an answer then.
  static constexpr int kSilences = 100;
  static constexpr int kSilencesOfDrain = 20;
  // Less than kLeaseMax, so that what is found stays leased.
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

  // What is pushed.
  static void accept(stream_protocol::socket& socket, std::uint32_t question) {
    const std::string answer = message([&](RpcMessage root) {
      auto done = root.initReturn();
      done.setAnswerId(question);
      done.initResults();
    });
    boost::system::error_code error;
    asio::write(socket, asio::buffer(answer), error);
  }

  testing::TempDir directory_;
  testing::ManualClock clock_;
  const std::filesystem::path socket_ = directory_ / "socket";
  Engine engine_;
  const Found found_;
  std::optional<server::Server> server_;
  asio::io_context io_;
};

std::string bootstrap() {
  return message([](RpcMessage root) { root.initBootstrap().setQuestionId(0); });
}

// What a question is answered with, or, of that, what a pointer leads to.
struct Answer {
  std::uint32_t question = 0;
  std::optional<std::uint16_t> pointer = {};
};

// A call of the broker that bootstrap() asked for, or of something else.
template <class Fill>
std::string call(std::uint32_t question, const capnp::InterfaceSchema::Method& method, Fill&& fill_params,
                 const Answer& callee = {}) {
  return message([&](RpcMessage root) {
    auto call = root.initCall();
    call.setQuestionId(question);
    auto target = call.initTarget().initPromisedAnswer();
    target.setQuestionId(callee.question);
    if (callee.pointer) target.initTransform(1)[0].setGetPointerField(*callee.pointer);
    call.setInterfaceId(method.getContainingInterface().getProto().getId());
    call.setMethodId(method.getOrdinal());
    auto payload = call.initParams();
    capnp::BuilderCapabilityTable exported;
    const auto params =
        exported.imbue(payload.getContent()).initAs<capnp::DynamicStruct>(method.getParamType());
    fill_params(params);
    if (method.getParamType() == capnp::Schema::from<wire::SubscribeRequest>()) {
      Params(params).as<wire::SubscribeRequest>().setSink(
          wire::DeliverySink::Client(KJ_EXCEPTION(UNIMPLEMENTED, "it has but a number")));
    }
    const auto count = static_cast<unsigned>(exported.getTable().size());
    if (count == 0) return;
    auto table = payload.initCapTable(count);
    for (unsigned i = 0; i < count; ++i) table[i].setSenderHosted(i);
  });
}

using Say = std::function<void(Params)>;

template <class Request, class Fill>
Say say(Fill fill) {
  return [fill](Params params) { fill(params.as<Request>()); };
}

// What the calls that need more than the name of a queue have to be told to succeed.
std::map<std::string_view, Say> wants(const Found& found) {
  const std::vector<Receipt> receipts{found.receipt};
  const auto sends = [](auto to) {
    to.setName(kQueue);
    to.setSends(true);
  };
  return {
      {"createQueue", say<wire::CreateQueueRequest>([](auto to) { to.setName("invoices"); })},
      {"deleteQueue", say<wire::QueueRequest>([](auto to) { to.setName(kSource); })},
      {"pauseQueue", say<wire::PauseRequest>(sends)},
      {"resumeQueue", say<wire::PauseRequest>(sends)},
      {"sendBatch", say<wire::SendRequest>([](auto to) {
         to.setQueue(kQueue);
         to.initMessages(1);
       })},
      {"ackBatch", say<wire::AckRequest>([=](auto to) { convert::write(receipts, SettleOptions{}, to); })},
      {"extendBatch", say<wire::ExtendRequest>(
                          [=](auto to) { convert::write(receipts, Duration(std::chrono::minutes(1)), to); })},
      {"releaseBatch",
       say<wire::ReleaseRequest>([=](auto to) { convert::write(receipts, ReleaseOptions{}, to); })},
      {"rejectBatch", say<wire::RejectRequest>(
                          [=](auto to) { convert::write(receipts, Rejection{}, SettleOptions{}, to); })},
      {"beginBatch", say<wire::BeginRequest>([=](auto to) { convert::write(receipts, to); })},
      {"subscribe",
       say<wire::SubscribeRequest>([](auto to) { convert::write(kQueue, ReceiveOptions{}, to); })},
      {"groupDeadLetters", say<wire::GroupDeadLettersRequest>(
                               [](auto to) { convert::write(kQueue, GroupDeadLettersOptions{}, to); })},
      {"changeDeadLetters", say<wire::ChangeDeadLettersRequest>([](auto to) {
         convert::write(kQueue, {.all = true}, {.note = "looked at"}, to);
       })},
      {"discardDeadLetters",
       say<wire::DiscardDeadLettersRequest>([](auto to) { convert::write(kQueue, {.all = true}, to); })},
      {"importDeadLetters", say<wire::ImportDeadLettersRequest>([letter = found.letter](auto to) {
         convert::write(kDead, std::vector{letter}, to);
       })},
      {"redriveStatus", say<wire::TaskRequest>([task = found.task](auto to) { convert::write(task, to); })},
      {"cancelRedrive",
       say<wire::CancelRedriveRequest>([task = found.task](auto to) { convert::write(task, "", to); })},
      {"trace", say<wire::TraceRequest>([id = found.message](auto to) { convert::write(id, to); })},
  };
}

void name_queue(Params params) {
  for (const char* name : {"queue", "name"}) {
    KJ_IF_MAYBE (field, params.getSchema().findFieldByName(name)) params.set(*field, kQueue);
  }
}

// A subscription, and more credit for it.
std::string subscribe_and_grant(const Say& subscription) {
  const auto broker = capnp::Schema::from<wire::Broker>();
  const auto given = capnp::Schema::from<wire::SubscribeReply>().getFieldByName("subscription");
  const auto grant = capnp::Schema::from<wire::Subscription>().getMethodByName("grant");
  const auto offset = static_cast<std::uint16_t>(given.getProto().getSlot().getOffset());
  return bootstrap() + call(1, broker.getMethodByName("subscribe"), subscription) +
         call(2, grant, [](Params params) { params.set("count", 1); }, {.question = 1, .pointer = offset});
}

}  // namespace

bool run_rpc(std::string_view input) { return Served().talk(input); }

// Each call with what it needs to succeed, and with everything said, which may be refused; a store in memory
// makes no backups.
std::vector<std::string> rpc_seeds() {
  const auto schema = capnp::Schema::from<wire::Broker>();
  const Found found = Served().found();
  const auto wanted = wants(found);
  const auto say_all = [&](Params params) { fill(params, found.receipt); };
  std::vector<std::string> seeds{bootstrap(), subscribe_and_grant(wanted.at("subscribe")),
                                 bootstrap() +
                                     call(1, schema.getMethodByName("sendBatch"), wanted.at("sendBatch")) +
                                     call(2, schema.getMethodByName("receive"), name_queue)};
  for (const auto method : schema.getMethods()) {
    const auto name = method.getProto().getName();
    const auto want = wanted.find(std::string_view(name.begin(), name.size()));
    const Say enough = want == wanted.end() ? Say(name_queue) : want->second;
    seeds.push_back(bootstrap() + call(name == "backup" ? kMayFail : 1, method, enough));
    seeds.push_back(bootstrap() + call(kMayFail, method, say_all));
  }
  return seeds;
}

}  // namespace holdfast::fuzz
