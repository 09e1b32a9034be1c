// The place where dead letters are archived, as the option archive-to names it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "holdfast/error.h"
#include "schema/http/url.h"

namespace holdfast::server {

// DirectoryPlace is a directory: "directory:/var/lib/holdfast/archive".
struct DirectoryPlace {
  std::filesystem::path directory;
};

// CommandPlace is a program. "command:/usr/local/bin/keep --days 400" runs without a shell; blanks separate
// its words. The text after "shell:" is a command for a shell: "shell:gzip >/mnt/$HOLDFAST_ARCHIVE_NAME.gz".
struct CommandPlace {
  std::vector<std::string> words;
};

// S3Place is a bucket of S3, with path-style URLs: "s3:https://s3.example.org/bucket/prefix".
struct S3Place {
  http::Url url;
  std::string bucket;
  std::string prefix;  // empty, or without slashes around it
};

using ArchivePlace = std::variant<DirectoryPlace, CommandPlace, S3Place>;

// Parses the option's text. kInvalidArgument says what is wrong.
Result<ArchivePlace> parse_archive_place(std::string_view text);

}  // namespace holdfast::server
