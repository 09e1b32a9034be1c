// What can be set about where dead letters are archived.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace holdfast::server {

struct ArchiveOptions {
  // "directory:/path", "command:PROGRAM ARGUMENT…", "shell:COMMAND" or
  // "s3:https://host[:port]/bucket[/prefix]" (server/archive/archive_place.h). Empty: the folder `archive` of
  // the data directory.
  std::string to = {};
  // Of a command, from its start to its end; of S3, of each try.
  std::chrono::seconds timeout{60};

  // Of S3.
  std::string region = "us-east-1";
  std::filesystem::path credentials = {};  // empty: what the environment has
};

}  // namespace holdfast::server
