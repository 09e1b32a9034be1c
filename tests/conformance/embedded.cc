// The broker under test that is an engine in this process.
#include <optional>

#include "tests/conformance/conformance.h"
#include "tests/support/engine_time.h"
#include "tests/support/temp_dir.h"
#include "tests/support/write_buffer.h"

namespace holdfast::testing {
namespace {

class Embedded final : public BrokerUnderTest {
 public:
  Embedded() { open(); }

  Broker& broker() override { return *engine_; }
  void run_due() override { run_due_until_quiet(*engine_, clock()); }
  void reopen() override {
    must(engine_->close());
    engine_.reset();
    open();
  }

 private:
  void open() {
    engine_.emplace(must(
        Engine::open(directory_ / "data",
                     {.clock = &clock(), .background = false, .write_buffer_bytes = kWriteBufferBytes})));
  }

  TempDir directory_;
  std::optional<Engine> engine_;
};

}  // namespace

std::unique_ptr<BrokerUnderTest> make_embedded() { return std::make_unique<Embedded>(); }

}  // namespace holdfast::testing
