#include "bench/peers/rabbitmq.h"

#include <amqp.h>
#include <amqp_tcp_socket.h>

#include <set>
#include <vector>

#include "bench/pipeline/process.h"

namespace holdfast::bench {
namespace {

constexpr amqp_channel_t kChannel = 1;

amqp_bytes_t bytes_of(std::string_view text) {
  return {text.size(), const_cast<char*>(text.data())};  // the library only reads them
}

class Connection {
 public:
  explicit Connection(std::uint16_t port) : state_(amqp_new_connection()) {
    amqp_socket_t* socket = amqp_tcp_socket_new(state_);
    constexpr int kFrameBytes = 131072;
    const bool is_open = amqp_socket_open(socket, "127.0.0.1", port) == AMQP_STATUS_OK;
    if (!is_open ||
        !is_good(amqp_login(state_, "/", 0, kFrameBytes, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"))) {
      amqp_destroy_connection(state_);
      throw BenchError("rabbitmq: cannot connect");
    }
    amqp_channel_open(state_, kChannel);
    check("channel");
  }
  ~Connection() { amqp_destroy_connection(state_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  amqp_connection_state_t get() const { return state_; }
  void check(const std::string& what) const {
    if (!is_good(amqp_get_rpc_reply(state_))) throw BenchError("rabbitmq: " + what);
  }

 private:
  static bool is_good(const amqp_rpc_reply_t& reply) { return reply.reply_type == AMQP_RESPONSE_NORMAL; }

  amqp_connection_state_t state_;
};

class RabbitmqProducer final : public Producer {
 public:
  RabbitmqProducer(std::uint16_t port, std::string queue) : connection_(port), queue_(std::move(queue)) {
    amqp_confirm_select(connection_.get(), kChannel);
    connection_.check("confirm.select");
  }

  void send(const Bodies& bodies) override {
    amqp_basic_properties_t properties{};
    properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG;
    properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
    for (const std::string& body : bodies) {
      if (amqp_basic_publish(connection_.get(), kChannel, amqp_empty_bytes, bytes_of(queue_), 0, 0,
                             &properties, bytes_of(body)) != AMQP_STATUS_OK)
        throw BenchError("rabbitmq: publish");
      unconfirmed_.insert(++published_);
    }
    while (!unconfirmed_.empty()) take_confirmation();
    amqp_maybe_release_buffers(connection_.get());
  }

 private:
  void take_confirmation() {
    amqp_frame_t frame;
    if (amqp_simple_wait_frame(connection_.get(), &frame) != AMQP_STATUS_OK ||
        frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD)
      throw BenchError("rabbitmq: a message was not confirmed");
    const auto* ack = static_cast<const amqp_basic_ack_t*>(frame.payload.method.decoded);
    const auto after = unconfirmed_.upper_bound(ack->delivery_tag);
    if (ack->multiple != 0) {
      unconfirmed_.erase(unconfirmed_.begin(), after);
    } else {
      unconfirmed_.erase(ack->delivery_tag);
    }
  }

  Connection connection_;
  const std::string queue_;
  std::uint64_t published_ = 0;
  std::set<std::uint64_t> unconfirmed_;
};

class RabbitmqConsumer final : public Consumer {
 public:
  RabbitmqConsumer(std::uint16_t port, const std::string& queue, std::size_t batch)
      : connection_(port), batch_(batch) {
    constexpr std::size_t kBatchesAhead = 8;
    amqp_basic_qos(connection_.get(), kChannel, 0, static_cast<std::uint16_t>(batch * kBatchesAhead), 0);
    connection_.check("basic.qos");
    amqp_basic_consume(connection_.get(), kChannel, bytes_of(queue), amqp_empty_bytes, 0, 0, 0,
                       amqp_empty_table);
    connection_.check("basic.consume");
  }

  void consume(const std::function<void(std::string_view)>& each) override {
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < batch_; ++i) {
      timeval wait{};
      if (i == 0) wait.tv_usec = std::chrono::microseconds(kReceiveTimeout).count();
      amqp_envelope_t envelope;
      const auto reply = amqp_consume_message(connection_.get(), &envelope, &wait, 0);
      if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION && reply.library_error == AMQP_STATUS_TIMEOUT)
        break;
      if (reply.reply_type != AMQP_RESPONSE_NORMAL) throw BenchError("rabbitmq: consume");
      each({static_cast<const char*>(envelope.message.body.bytes), envelope.message.body.len});
      last = envelope.delivery_tag;
      amqp_destroy_envelope(&envelope);
    }
    if (last != 0) amqp_basic_ack(connection_.get(), kChannel, last, /*multiple=*/1);
    amqp_maybe_release_buffers(connection_.get());
  }

 private:
  Connection connection_;
  const std::size_t batch_;
};

struct Ports {
  std::uint16_t names = free_port();  // the port of epmd, by which Erlang's nodes find each other
  std::uint16_t nodes = free_port();
  std::uint16_t clients = free_port();
};

std::vector<std::string> environment(const std::filesystem::path& directory, const Ports& ports) {
  const std::string home = directory / "rabbitmq";
  std::filesystem::create_directory(home);
  return {"HOME=" + home,
          "ERL_EPMD_PORT=" + std::to_string(ports.names),
          "RUNNING_UNDER_SYSTEMD=yes",  // the script then becomes the server instead of starting it
          "RABBITMQ_NODENAME=bench@localhost",
          "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
          "RABBITMQ_NODE_PORT=" + std::to_string(ports.clients),
          "RABBITMQ_DIST_PORT=" + std::to_string(ports.nodes),
          "RABBITMQ_MNESIA_BASE=" + home,
          "RABBITMQ_LOG_BASE=" + home,
          "RABBITMQ_PID_FILE=" + home + "/pid",
          "RABBITMQ_CONF_ENV_FILE=" + home + "/none",
          "RABBITMQ_CONFIG_FILE=" + home + "/none",
          "RABBITMQ_ENABLED_PLUGINS_FILE=" + home + "/plugins"};
}

class Rabbitmq final : public Service {
 public:
  Rabbitmq(const std::filesystem::path& directory, Durability durability)
      : type_(durability == Durability::kFsync ? "quorum" : "classic"),
        environment_(environment(directory, ports_)),
        names_({"epmd", "-port", std::to_string(ports_.names), "-address", "127.0.0.1"},
               directory / "epmd.log"),
        process_({"/usr/lib/rabbitmq/bin/rabbitmq-server"}, directory / "rabbitmq.log", environment_) {
    const auto is_ready = [this] {
      try {
        const Connection connection(ports_.clients);
        return true;
      } catch (const BenchError&) {
        return false;
      }
    };
    wait_until_ready(process_, directory / "rabbitmq.log", is_ready, std::chrono::seconds(60));
  }

  std::string name() const override { return "rabbitmq"; }
  void make_queue(const std::string& queue, const Workload& /*workload*/) override {
    const Connection connection(ports_.clients);
    amqp_table_entry_t entry{};
    entry.key = amqp_cstring_bytes("x-queue-type");
    entry.value.kind = AMQP_FIELD_KIND_UTF8;
    entry.value.value.bytes = bytes_of(type_);
    const amqp_table_t arguments{.num_entries = 1, .entries = &entry};
    amqp_queue_declare(connection.get(), kChannel, bytes_of(queue), /*passive=*/0, /*durable=*/1, 0, 0,
                       arguments);
    connection.check("queue.declare");
  }
  std::unique_ptr<Producer> producer(const std::string& queue, const Workload& /*workload*/) override {
    return std::make_unique<RabbitmqProducer>(ports_.clients, queue);
  }
  std::unique_ptr<Consumer> consumer(const std::string& queue, const Workload& workload) override {
    return std::make_unique<RabbitmqConsumer>(ports_.clients, queue, workload.batch);
  }
  pid_t pid() const override { return process_.pid(); }

 private:
  const std::string type_;
  const Ports ports_;
  const std::vector<std::string> environment_;
  Process names_;
  Process process_;
};

}  // namespace

std::unique_ptr<Service> start_rabbitmq(const std::filesystem::path& directory, Durability durability) {
  return std::make_unique<Rabbitmq>(directory, durability);
}

}  // namespace holdfast::bench
