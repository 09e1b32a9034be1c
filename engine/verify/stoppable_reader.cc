#include "engine/verify/stoppable_reader.h"

#include <utility>

namespace holdfast::verify {
namespace {

tl::unexpected<Error> stopped() { return fail(ErrorCode::kClosed, "the engine is closing"); }

// The scan fails once it must stop. Its row stays valid after the stop for a caller that has just seen it.
class StoppableScan final : public Scan {
 public:
  StoppableScan(std::unique_ptr<Scan> scan, const std::atomic<bool>& stop)
      : scan_(std::move(scan)), stop_(stop) {}

  bool valid() const override { return !stop_ && scan_->valid(); }
  void next() override { scan_->next(); }
  std::string_view key() const override { return scan_->key(); }
  std::string_view value() const override { return scan_->value(); }
  Result<void> status() const override { return stop_ ? stopped() : scan_->status(); }

 private:
  const std::unique_ptr<Scan> scan_;
  const std::atomic<bool>& stop_;
};

}  // namespace

Result<std::optional<std::string>> StoppableReader::get(Family family, std::string_view key) const {
  if (stop_) return stopped();
  return reader_.get(family, key);
}

std::unique_ptr<Scan> StoppableReader::scan(Family family, std::string_view begin,
                                            std::string_view end) const {
  return std::make_unique<StoppableScan>(reader_.scan(family, begin, end), stop_);
}

}  // namespace holdfast::verify
