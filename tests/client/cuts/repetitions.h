// What was refused to calls that were made again, as the cutting proxy hears it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace holdfast::testing {

// A call is a repetition if an earlier one with the same arguments was cut off before its answer came.
class Repetitions {
 public:
  // Hears one connection, byte for byte; it must not be encrypted. One thread's only.
  class Ear {
   public:
    explicit Ear(Repetitions& repetitions) : repetitions_(repetitions) {}
    // Its calls are left without an answer.
    ~Ear();
    Ear(const Ear&) = delete;
    Ear& operator=(const Ear&) = delete;

    void hear_client(std::string_view bytes);
    void hear_server(std::string_view bytes);

   private:
    Repetitions& repetitions_;
    std::string from_client_;  // the beginning of a message, as is the next
    std::string from_server_;
    // By question.
    struct Asked {
      std::uint16_t method = 0;
      std::string arguments;
    };
    std::map<std::uint32_t, Asked> asked_;
  };

  // By what was said: of an `overloaded` its limit, else the name of the error.
  std::map<std::string, std::uint64_t> refused() const;

 private:
  void left_without_answer(const std::string& arguments);
  void refused(const std::string& arguments, const std::string& what);

  mutable std::mutex mutex_;
  std::set<std::string> in_doubt_;  // arguments
  std::map<std::string, std::uint64_t> refused_;
};

}  // namespace holdfast::testing
