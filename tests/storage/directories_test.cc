// Directories that are created durably.
#include "engine/storage/files/directories.h"

#include <gmock/gmock.h>

#include <functional>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

// Notes what is synced, and fails for one directory as often as it is told to.
class Syncs {
 public:
  void fail(const fs::path& directory) { failing_ = directory; }
  void mend() { failing_.clear(); }
  std::vector<fs::path> take() { return std::exchange(synced_, {}); }

  std::error_code operator()(const fs::path& directory) {
    synced_.push_back(directory);
    return directory == failing_ ? std::make_error_code(std::errc::io_error) : std::error_code();
  }

 private:
  fs::path failing_;
  std::vector<fs::path> synced_;
};

class DirectoriesTest : public ::testing::Test {
 protected:
  std::error_code create(const fs::path& directory) { return create_durably(directory, std::ref(syncs_)); }

  TempDir temp_;
  Syncs syncs_;
};

TEST_F(DirectoriesTest, SyncsTheParentOfEachThatItCreates) {
  EXPECT_FALSE(create(temp_ / "a" / "b"));
  EXPECT_THAT(syncs_.take(), ElementsAre(temp_.path().parent_path(), temp_.path(), temp_ / "a"));
  EXPECT_TRUE(fs::is_directory(temp_ / "a" / "b"));
}

// Without the second sync, a power loss could take away what the second call reported as durable.
TEST_F(DirectoriesTest, SyncsTheParentAgainAfterATryThatFailed) {
  syncs_.fail(temp_ / "a");
  EXPECT_TRUE(create(temp_ / "a" / "b"));
  EXPECT_TRUE(fs::is_directory(temp_ / "a" / "b"));
  syncs_.mend();
  (void)syncs_.take();
  EXPECT_FALSE(create(temp_ / "a" / "b"));
  EXPECT_THAT(syncs_.take(), ElementsAre(temp_ / "a"));
}

}  // namespace
}  // namespace holdfast::testing
