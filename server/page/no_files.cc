// A build without Node has no dashboard files.
#include "server/page/files.h"

namespace holdfast::server {

std::span<const PageFile> page_files() { return {}; }

}  // namespace holdfast::server
