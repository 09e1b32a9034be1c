#include "bench/peers/redis.h"

#include <hiredis/hiredis.h>

#include <vector>

#include "bench/pipeline/process.h"

namespace holdfast::bench {
namespace {

struct Free {
  void operator()(redisContext* context) const { redisFree(context); }
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, Free>;

class Connection {
 public:
  explicit Connection(const std::string& path) : context_(redisConnectUnix(path.c_str())) {
    if (!is_good()) throw BenchError("redis: cannot connect");
  }

  bool is_good() const { return context_ && context_->err == 0; }

  // Adds a command. It is sent when the next reply is asked for.
  void append(const std::vector<std::string_view>& words) {
    std::vector<const char*> starts;
    std::vector<std::size_t> sizes;
    for (const auto word : words) {
      starts.push_back(word.data());
      sizes.push_back(word.size());
    }
    redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), starts.data(), sizes.data());
  }

  Reply next() {
    void* reply = nullptr;
    if (redisGetReply(context_.get(), &reply) != REDIS_OK) throw BenchError("redis: the connection broke");
    Reply own(static_cast<redisReply*>(reply));
    if (own->type == REDIS_REPLY_ERROR) throw BenchError(std::string("redis: ") + own->str);
    return own;
  }

  Reply call(const std::vector<std::string_view>& words) {
    append(words);
    return next();
  }

 private:
  std::unique_ptr<redisContext, Free> context_;
};

class RedisProducer final : public Producer {
 public:
  RedisProducer(const std::string& path, std::string stream)
      : connection_(path), stream_(std::move(stream)) {}

  void send(const Bodies& bodies) override {
    for (const std::string& body : bodies) connection_.append({"XADD", stream_, "*", "b", body});
    for (std::size_t i = 0; i < bodies.size(); ++i) (void)connection_.next();
  }

 private:
  Connection connection_;
  const std::string stream_;
};

class RedisConsumer final : public Consumer {
 public:
  RedisConsumer(const std::string& path, std::string stream, std::size_t batch, int number)
      : connection_(path),
        stream_(std::move(stream)),
        count_(std::to_string(batch)),
        name_("c" + std::to_string(number)) {}

  void consume(const std::function<void(std::string_view)>& each) override {
    const auto timeout = std::to_string(kReceiveTimeout.count());
    const Reply reply = connection_.call(
        {"XREADGROUP", "GROUP", "g", name_, "COUNT", count_, "BLOCK", timeout, "STREAMS", stream_, ">"});
    if (reply->type == REDIS_REPLY_NIL) return;
    const redisReply& entries = *reply->element[0]->element[1];
    std::vector<std::string_view> ack = {"XACK", stream_, "g"};
    std::vector<std::string_view> remove = {"XDEL", stream_};
    for (std::size_t i = 0; i < entries.elements; ++i) {
      const redisReply& id = *entries.element[i]->element[0];
      const redisReply& body = *entries.element[i]->element[1]->element[1];
      each({body.str, body.len});
      ack.emplace_back(id.str, id.len);
      remove.emplace_back(id.str, id.len);
    }
    connection_.append(ack);
    connection_.append(remove);
    (void)connection_.next();
    (void)connection_.next();
  }

 private:
  Connection connection_;
  const std::string stream_;
  const std::string count_;
  const std::string name_;
};

class Redis final : public Service {
 public:
  Redis(const std::filesystem::path& directory, Durability durability)
      : socket_(directory / "redis.sock"),
        process_({"redis-server", "--port", "0", "--unixsocket", socket_, "--dir", directory, "--save", "",
                  "--appendonly", "yes", "--appendfsync", durability == Durability::kFsync ? "always" : "no",
                  "--maxclients", "1000"},
                 directory / "redis.log") {
    wait_until_ready(process_, directory / "redis.log", [this] {
      std::unique_ptr<redisContext, Free> context(redisConnectUnix(socket_.c_str()));
      return context && context->err == 0;
    });
  }

  std::string name() const override { return "redis"; }
  void make_queue(const std::string& queue, const Workload& /*workload*/) override {
    (void)Connection(socket_).call({"XGROUP", "CREATE", queue, "g", "$", "MKSTREAM"});
  }
  std::unique_ptr<Producer> producer(const std::string& queue, const Workload& /*workload*/) override {
    return std::make_unique<RedisProducer>(socket_, queue);
  }
  std::unique_ptr<Consumer> consumer(const std::string& queue, const Workload& workload) override {
    return std::make_unique<RedisConsumer>(socket_, queue, workload.batch, ++consumers_);
  }
  pid_t pid() const override { return process_.pid(); }

 private:
  const std::string socket_;
  Process process_;
  int consumers_ = 0;
};

}  // namespace

std::unique_ptr<Service> start_redis(const std::filesystem::path& directory, Durability durability) {
  return std::make_unique<Redis>(directory, durability);
}

}  // namespace holdfast::bench
