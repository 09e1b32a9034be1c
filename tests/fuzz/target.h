// Targets fuzz every decoder of bytes that a disk, a file or a stranger may have changed.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::fuzz {

struct Target {
  std::string_view name;
  // Returns whether the input decodes. Throws if the input shows a defect.
  bool (*run)(std::string_view input);
  // Returns inputs that decode, with which a search begins.
  std::vector<std::string> (*seeds)();
};

std::span<const Target> targets();

inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

// Checks that a value that was decoded comes back from its own encoding. Different bytes may mean the same,
// so what is compared is what was encoded, not the input itself.
template <class Decode, class Encode>
bool must_come_back(std::string_view input, Decode decode, Encode encode) {
  const auto value = decode(input);
  if (!value) return false;
  const std::string encoded = encode(*value);
  const auto again = decode(encoded);
  require(again.has_value(), "what was decoded encodes to something that does not decode");
  require(encode(*again) == encoded, "what was decoded changes when it is encoded and decoded again");
  return true;
}

// Checks that a row of tagged fields comes back from its encoding. An encoder leaves out a number that is 0,
// which is read as the field's default. So a row that no encoder ever wrote (0 where that is not the default)
// may change once.
template <class Decode, class Encode>
bool must_settle(std::string_view input, Decode decode, Encode encode) {
  const auto value = decode(input);
  if (!value) return false;
  const auto again = decode(encode(*value));
  require(again.has_value(), "what decodes does not decode once it is encoded");
  return must_come_back(encode(*again), decode, encode);
}

// rows.cc defines these.
bool run_chunk(std::string_view input);
bool run_delivery_row(std::string_view input);
bool run_dead_letter_row(std::string_view input);
bool run_posting(std::string_view input);
bool run_small_rows(std::string_view input);
std::vector<std::string> chunk_seeds();
std::vector<std::string> delivery_row_seeds();
std::vector<std::string> dead_letter_row_seeds();
std::vector<std::string> posting_seeds();
std::vector<std::string> small_row_seeds();

// catalog.cc defines these.
bool run_queue_definition(std::string_view input);
bool run_queue_checkpoint(std::string_view input);
bool run_redrive_task(std::string_view input);
std::vector<std::string> queue_definition_seeds();
std::vector<std::string> queue_checkpoint_seeds();
std::vector<std::string> redrive_task_seeds();

// keys.cc defines these.
bool run_keys(std::string_view input);
std::vector<std::string> key_seeds();

// texts.cc defines these.
bool run_receipt(std::string_view input);
bool run_json_edit(std::string_view input);
bool run_archive_line(std::string_view input);
bool run_archive_file(std::string_view input);
std::vector<std::string> receipt_seeds();
std::vector<std::string> json_edit_seeds();
std::vector<std::string> archive_line_seeds();
std::vector<std::string> archive_file_seeds();

// command.cc defines these.
bool run_filter_answer(std::string_view input);
bool run_command_texts(std::string_view input);
std::vector<std::string> filter_answer_seeds();
std::vector<std::string> command_text_seeds();

// config.cc defines these.
bool run_config(std::string_view input);
std::vector<std::string> config_seeds();

// small_texts.cc defines these.
bool run_small_texts(std::string_view input);
std::vector<std::string> small_text_seeds();

// sqs.cc defines these.
bool run_sqs(std::string_view input);
std::vector<std::string> sqs_seeds();

// http.cc defines these.
bool run_http(std::string_view input);
std::vector<std::string> http_seeds();

// replies.cc defines these.
bool run_reply(std::string_view input);
std::vector<std::string> reply_seeds();

// rpc.cc and rpc_seeds.cc define these.
bool run_rpc(std::string_view input);
std::vector<std::string> rpc_seeds();

}  // namespace holdfast::fuzz
