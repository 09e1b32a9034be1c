// Hanging up on connections that their clients say they have lost, whichever thread serves them: what is
// still on its way over them is not to be answered any more.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "schema/convert/values/hello.h"
#include "schema/transport/mailbox.h"

namespace holdfast::server {

class LostConnections {
 public:
  using Names = std::vector<convert::ConnectionName>;
  // Lets go of `gone` once the loop has hung up on those of the names that it serves, and has begun what it
  // had read of them.
  using HangUp = std::function<void(const Names& names, std::shared_ptr<void> gone)>;

  // Before clients are served.
  void add_loop(std::shared_ptr<transport::Mailbox> mailbox, HangUp hang_up) {
    loops_.push_back({std::move(mailbox), std::move(hang_up)});
  }

  // For any thread. When the last loop has hung up, nobody holds `gone` any more.
  void hang_up(const Names& names, const std::shared_ptr<void>& gone) const {
    for (const Loop& loop : loops_)
      loop.mailbox->post([hang_up = loop.hang_up, names, gone] { hang_up(names, gone); });
  }

 private:
  struct Loop {
    std::shared_ptr<transport::Mailbox> mailbox;
    HangUp hang_up;
  };

  std::vector<Loop> loops_;
};

}  // namespace holdfast::server
