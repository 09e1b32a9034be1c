#include "bench/served/holdfast_service.h"

#include "bench/served/broker_ends.h"
#include "holdfast/client.h"

namespace holdfast::bench {
namespace {

class ClientProducer final : public Producer {
 public:
  ClientProducer(const std::string& address, std::string queue, const Workload& workload)
      : client_(require(Client::connect(address), "connect")),
        queue_(std::move(queue)),
        workload_(workload) {}

  void send(const Bodies& bodies) override { send_to(client_, queue_, workload_, bodies); }

 private:
  Client client_;
  const std::string queue_;
  const Workload workload_;
};

class PollingConsumer final : public Consumer {
 public:
  PollingConsumer(const std::string& address, std::string queue, const Workload& workload)
      : client_(require(Client::connect(address), "connect")),
        queue_(std::move(queue)),
        workload_(workload) {}

  void consume(const std::function<void(std::string_view)>& each) override {
    consume_from(client_, queue_, workload_, each);
  }

 private:
  Client client_;
  const std::string queue_;
  const Workload workload_;
};

// The stream sends the acks, so they are as durable as the queue.
class PushedConsumer final : public Consumer {
 public:
  PushedConsumer(const std::string& address, const std::string& queue, const Workload& workload)
      : client_(require(Client::connect(address), "connect")),
        stream_(require(client_.subscribe(queue, {.credit = kBatchesAhead * workload.batch}), "subscribe")),
        max_(workload.batch) {}

  void consume(const std::function<void(std::string_view)>& each) override {
    const auto deliveries = require(stream_.next(max_, kReceiveTimeout), "next");
    for (const Delivery& delivery : deliveries) {
      each(delivery.body);
      stream_.ack(delivery.receipt);
    }
  }

  void finish() override {
    const auto failures = stream_.flush();
    if (!failures.empty()) throw BenchError("ack: " + to_string(failures.front().error));
  }

 private:
  static constexpr std::size_t kBatchesAhead = 8;

  Client client_;
  DeliveryStream stream_;
  const std::size_t max_;
};

}  // namespace

HoldfastServer::HoldfastServer(const std::filesystem::path& directory)
    : address_("127.0.0.1:" + std::to_string(free_port())),
      process_({HOLDFASTD, "--data", directory / "holdfastd", "--listen", address_},
               directory / "holdfastd.log") {
  wait_until_ready(process_, directory / "holdfastd.log",
                   [this] { return Client::connect(address_).has_value(); });
}

void HoldfastService::make_queue(const std::string& queue, const Workload& workload) {
  auto client = require(Client::connect(server_.address()), "connect");
  require(client.create_queue(own(queue), {.durability = workload.durability}), "create_queue");
}

std::unique_ptr<Producer> HoldfastService::producer(const std::string& queue, const Workload& workload) {
  return std::make_unique<ClientProducer>(server_.address(), own(queue), workload);
}

std::unique_ptr<Consumer> HoldfastService::consumer(const std::string& queue, const Workload& workload) {
  if (take_ == Take::kPoll) return std::make_unique<PollingConsumer>(server_.address(), own(queue), workload);
  return std::make_unique<PushedConsumer>(server_.address(), own(queue), workload);
}

}  // namespace holdfast::bench
