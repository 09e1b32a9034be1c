// DateHeader makes the text of the Date header of an answer.
#pragma once

#include <ctime>
#include <string>

namespace holdfast::server {

// DateHeader has a time as HTTP writes it (RFC 9110, 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT". A client whose
// clock is wrong learns by it what the server's says, so that it can sign its requests. The text is made once
// a second. Only one thread uses it.
class DateHeader {
 public:
  const std::string& at(std::time_t time);
  const std::string& now() { return at(std::time(nullptr)); }

 private:
  std::time_t time_ = 0;
  std::string text_;
};

}  // namespace holdfast::server
