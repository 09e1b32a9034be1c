// Where dead letters are archived, as the option archive-to says it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "holdfast/error.h"
#include "schema/http/url.h"

namespace holdfast::server {

// "directory:/var/lib/holdfast/archive"
struct DirectoryPlace {
  std::filesystem::path directory;
};

// "command:/usr/local/bin/keep --days 400": without a shell, its words are what blanks separate. "shell:gzip
// >/mnt/$HOLDFAST_ARCHIVE_NAME.gz": the rest is a shell's.
struct CommandPlace {
  std::vector<std::string> words;
};

// "s3:https://s3.example.org/bucket/prefix": path-style.
struct S3Place {
  http::Url url;
  std::string bucket;
  std::string prefix;  // empty, or without slashes around it
};

using ArchivePlace = std::variant<DirectoryPlace, CommandPlace, S3Place>;

// kInvalidArgument says what is wrong.
Result<ArchivePlace> parse_archive_place(std::string_view text);

}  // namespace holdfast::server
