// The dashboard's files, as the build has put them into the program.
#pragma once

#include <span>
#include <string_view>

namespace holdfast::server {

struct PageFile {
  std::string_view path;  // "/assets/app-K3ZQ7A2M.js"; "/": the document
  std::string_view content_type;
  std::string_view etag;  // quoted
  std::string_view bytes;
  std::string_view gzip;  // the same, compressed
};

// Empty in a program that was built without them.
std::span<const PageFile> page_files();

}  // namespace holdfast::server
