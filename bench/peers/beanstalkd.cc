#include "bench/peers/beanstalkd.h"

#include <vector>

#include "bench/peers/text_connection.h"
#include "bench/pipeline/process.h"

namespace holdfast::bench {
namespace {

void expect(TextConnection& connection, std::string_view start) {
  const std::string line = connection.read_line();
  if (!line.starts_with(start)) throw BenchError("beanstalkd: '" + line + "', not " + std::string(start));
}

class BeanstalkdProducer final : public Producer {
 public:
  BeanstalkdProducer(std::uint16_t port, const std::string& tube) : connection_(port) {
    connection_.write("use " + tube + "\r\n");
    expect(connection_, "USING");
  }

  void send(const Bodies& bodies) override {
    std::string commands;
    for (const std::string& body : bodies)
      commands += "put 0 0 60 " + std::to_string(body.size()) + "\r\n" + body + "\r\n";
    connection_.write(commands);
    for (std::size_t i = 0; i < bodies.size(); ++i) expect(connection_, "INSERTED");
  }

 private:
  TextConnection connection_;
};

class BeanstalkdConsumer final : public Consumer {
 public:
  BeanstalkdConsumer(std::uint16_t port, const std::string& tube, std::size_t batch)
      : connection_(port), batch_(batch) {
    connection_.write("watch " + tube + "\r\nignore default\r\n");
    expect(connection_, "WATCHING");
    expect(connection_, "WATCHING");
  }

  // The protocol counts waits in seconds, so the first message of a batch may wait for a second.
  void consume(const std::function<void(std::string_view)>& each) override {
    std::string commands = "reserve-with-timeout 1\r\n";
    for (std::size_t i = 1; i < batch_; ++i) commands += "reserve-with-timeout 0\r\n";
    connection_.write(commands);
    std::string deletions;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < batch_; ++i) {
      const std::string line = connection_.read_line();
      if (line == "TIMED_OUT") continue;
      const auto id_at = line.find(' ') + 1;
      const auto size_at = line.find(' ', id_at) + 1;
      if (!line.starts_with("RESERVED ") || size_at == 0) throw BenchError("beanstalkd: '" + line + "'");
      const std::string body = connection_.read_bytes(std::stoul(line.substr(size_at)) + 2);
      each(std::string_view(body).substr(0, body.size() - 2));
      deletions += "delete " + line.substr(id_at, size_at - 1 - id_at) + "\r\n";
      ++taken;
    }
    connection_.write(deletions);
    for (; taken > 0; --taken) expect(connection_, "DELETED");
  }

 private:
  TextConnection connection_;
  const std::size_t batch_;
};

class Beanstalkd final : public Service {
 public:
  Beanstalkd(const std::filesystem::path& directory, Durability durability)
      : port_(free_port()), process_(command(directory, durability, port_), directory / "beanstalkd.log") {
    wait_until_ready(process_, directory / "beanstalkd.log", [this] {
      try {
        TextConnection connection(port_);
        return true;
      } catch (const BenchError&) {
        return false;
      }
    });
  }

  std::string name() const override { return "beanstalkd"; }
  void make_queue(const std::string& /*queue*/, const Workload& /*workload*/) override {}
  std::unique_ptr<Producer> producer(const std::string& queue, const Workload& /*workload*/) override {
    return std::make_unique<BeanstalkdProducer>(port_, queue);
  }
  std::unique_ptr<Consumer> consumer(const std::string& queue, const Workload& workload) override {
    return std::make_unique<BeanstalkdConsumer>(port_, queue, workload.batch);
  }
  pid_t pid() const override { return process_.pid(); }

 private:
  static std::vector<std::string> command(const std::filesystem::path& directory, Durability durability,
                                          std::uint16_t port) {
    const auto log = directory / "beanstalkd";
    std::filesystem::create_directory(log);
    return {"beanstalkd", "-l", "127.0.0.1", "-p",      std::to_string(port),
            "-b",         log,  "-z",        "1048576", durability == Durability::kFsync ? "-f0" : "-F"};
  }

  const std::uint16_t port_;
  Process process_;
};

}  // namespace

std::unique_ptr<Service> start_beanstalkd(const std::filesystem::path& directory, Durability durability) {
  return std::make_unique<Beanstalkd>(directory, durability);
}

}  // namespace holdfast::bench
