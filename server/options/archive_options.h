// Options for the place where dead letters are archived.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace holdfast::server {

struct ArchiveOptions {
  // `to` is the place: "directory:/path", "command:PROGRAM ARGUMENT…", "shell:COMMAND" or
  // "s3:https://host[:port]/bucket[/prefix]" (server/archive/archive_place.h). If empty, it is the folder
  // `archive` of the data directory.
  std::string to = {};
  // `timeout` is the time of a command from its start to its end, or of each try with S3.
  std::chrono::seconds timeout{60};

  // S3 alone has these options.
  std::string region = "us-east-1";
  std::filesystem::path credentials = {};  // empty: those of the environment
};

}  // namespace holdfast::server
