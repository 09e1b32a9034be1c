// Counts the refusals of calls that were made again, as the cutting proxy hears them.
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
  // Hears one connection, byte for byte. The connection must not be encrypted. Only one thread uses an ear.
  class Ear {
   public:
    explicit Ear(Repetitions& repetitions) : repetitions_(repetitions) {}
    // Calls of the connection that are not answered yet stay without an answer.
    ~Ear();
    Ear(const Ear&) = delete;
    Ear& operator=(const Ear&) = delete;

    void hear_client(std::string_view bytes);
    void hear_server(std::string_view bytes);

   private:
    Repetitions& repetitions_;
    std::string from_client_;  // the beginning of a message, as is from_server_
    std::string from_server_;
    // An Asked is a call that is under way. `asked_` has these calls by the number of their question.
    struct Asked {
      std::uint16_t method = 0;
      std::string arguments;
    };
    std::map<std::uint32_t, Asked> asked_;
  };

  // Returns how often each refusal was heard, by its words: `overloaded` is told by its limit, any other
  // error by its name.
  std::map<std::string, std::uint64_t> refused() const;

 private:
  void left_without_answer(const std::string& arguments);
  void refused(const std::string& arguments, const std::string& what);

  mutable std::mutex mutex_;
  std::set<std::string> in_doubt_;  // the arguments of calls that had no answer
  std::map<std::string, std::uint64_t> refused_;
};

}  // namespace holdfast::testing
