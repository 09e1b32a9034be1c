// The dashboard's files, which the build puts into the program.
#pragma once

#include <span>
#include <string_view>

namespace holdfast::server {

struct PageFile {
  std::string_view path;  // "/assets/app-K3ZQ7A2M.js"; "/" is the document
  std::string_view content_type;
  std::string_view etag;  // in quotes
  std::string_view bytes;
  std::string_view gzip;  // `bytes`, compressed
};

// Returns the files; none in a program that was built without them.
std::span<const PageFile> page_files();

}  // namespace holdfast::server
