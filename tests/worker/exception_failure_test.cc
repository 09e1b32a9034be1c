// A failure made of an exception has its type, its text, its nested exceptions and its stack trace, within
// the limits.
#include "holdfast/exception_failure.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "holdfast/limits.h"

namespace holdfast {
namespace {

using ::testing::EndsWith;
using ::testing::SizeIs;

class Traced : public std::logic_error, public HasStackTrace {
 public:
  using std::logic_error::logic_error;
  std::string stack_trace() const override { return "main\ncheck"; }
};

template <class Throw>
Failure of(Throw throws) {
  try {
    throws();
  } catch (...) {
    return failure_of(std::current_exception());
  }
  return {};
}

TEST(ExceptionFailure, HasTypeAndText) {
  const Failure failure = of([] { throw std::out_of_range("index 7"); });
  EXPECT_EQ(failure, (Failure{.reason = "index 7", .code = "std::out_of_range"}));
}

TEST(ExceptionFailure, HasWhatIsNested) {
  const Failure failure = of([] {
    try {
      try {
        throw Traced("root");
      } catch (...) {
        std::throw_with_nested(std::runtime_error("middle"));
      }
    } catch (...) {
      std::throw_with_nested(std::invalid_argument("outer"));
    }
  });
  EXPECT_EQ(failure.code, "std::invalid_argument");
  EXPECT_EQ(failure.reason, "outer");
  ASSERT_THAT(failure.causes, SizeIs(2));
  EXPECT_EQ(failure.causes[0], (NestedError{"std::runtime_error", "middle"}));
  EXPECT_THAT(failure.causes[1].code, EndsWith("Traced"));
  EXPECT_EQ(failure.causes[1].message, "root");
  EXPECT_EQ(failure.stack_trace, "main\ncheck");
}

TEST(ExceptionFailure, TellsWhatIsNoExceptionOfTheLibrarysToo) {
  EXPECT_EQ(of([] { throw 7; }), (Failure{.reason = "an exception of type int", .code = "int"}));
  EXPECT_EQ(of([] { throw "a text"; }).reason, "a text");
  EXPECT_EQ(of([] { throw std::string("a string"); }).reason, "a string");
  EXPECT_TRUE(failure_of(nullptr).empty());
}

TEST(ExceptionFailure, FitsIntoAFailure) {
  const Failure failure = of([] {
    std::exception_ptr inner;
    for (int i = 0; i < 40; ++i) {
      try {
        if (inner) {
          try {
            std::rethrow_exception(inner);
          } catch (...) {
            std::throw_with_nested(std::runtime_error(std::string(5000, 'x')));
          }
        }
        throw std::runtime_error("root");
      } catch (...) {
        inner = std::current_exception();
      }
    }
    std::rethrow_exception(inner);
  });
  ASSERT_THAT(failure.causes, SizeIs(limits::kNestedErrors));
  EXPECT_EQ(failure.causes.back().message, "root");
  for (const auto& [code, message] : failure.causes)
    EXPECT_LE(code.size() + message.size(), limits::kNestedErrorBytes);
}

}  // namespace
}  // namespace holdfast
