// What a build without Node has for a dashboard.
#include "server/page/files.h"

namespace holdfast::server {

std::span<const PageFile> page_files() { return {}; }

}  // namespace holdfast::server
