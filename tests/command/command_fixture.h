// Runs the command in the test's process, on a data directory of the test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <istream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tools/cli/command.h"

namespace holdfast::command {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;

  // Returns the lines of the output, parsed.
  std::vector<nlohmann::json> objects() const {
    std::vector<nlohmann::json> all;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
  nlohmann::json error() const { return nlohmann::json::parse(err); }
};

inline Outcome run_command(const std::vector<std::string>& arguments, std::istream& in) {
  std::ostringstream out;
  std::ostringstream err;
  const int status = run(arguments, in, out, err);
  return {status, out.str(), err.str()};
}

inline Outcome run_command(const std::vector<std::string>& arguments, const std::string& input = "") {
  std::istringstream in(input);
  return run_command(arguments, in);
}

// Input that fails after its text, as a standard input that is a directory does.
class BrokenBuffer : public std::streambuf {
 public:
  explicit BrokenBuffer(std::string text) : text_(std::move(text)) {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

 protected:
  int_type underflow() override { throw std::runtime_error("no more"); }

 private:
  std::string text_;
};

class CommandTest : public ::testing::Test {
 protected:
  Outcome holdfast(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), {"--data", (dir_ / "data").string()});
    return run_command(arguments, input);
  }
  Outcome holdfast(std::vector<std::string> arguments, std::istream& in) const {
    arguments.insert(arguments.begin(), {"--data", (dir_ / "data").string()});
    return run_command(arguments, in);
  }
  Outcome holdfast_json(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), "--json");
    return holdfast(std::move(arguments), input);
  }
  // Returns the receipt of one received message.
  std::string receive(const std::string& queue) const {
    const auto objects = holdfast_json({"receive", queue}).objects();
    return objects.empty() ? "" : objects.front().at("receipt").get<std::string>();
  }
  // Creates a queue `orders` that dead-letters to `orders-dlq`.
  void create_orders() const {
    ASSERT_EQ(holdfast({"queue", "create", "orders", "--dead-letter-queue", "orders-dlq", "--create-missing"})
                  .status,
              0);
  }

  holdfast::testing::TempDir dir_;
};

}  // namespace holdfast::command
