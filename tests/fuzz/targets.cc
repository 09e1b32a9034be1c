// The list of fuzz targets, each with its name and its seeds.
#include "tests/fuzz/target.h"

namespace holdfast::fuzz {

std::span<const Target> targets() {
  static constexpr Target kTargets[] = {
#ifdef HOLDFAST_FUZZ_RPC  // in a program of their own, since they need the whole server
      {"rpc", run_rpc, rpc_seeds},          {"reply", run_reply, reply_seeds},
      {"config", run_config, config_seeds}, {"small_texts", run_small_texts, small_text_seeds},
      {"sqs", run_sqs, sqs_seeds},          {"http", run_http, http_seeds},
#else
      {"chunk", run_chunk, chunk_seeds},
      {"delivery_row", run_delivery_row, delivery_row_seeds},
      {"dead_letter_row", run_dead_letter_row, dead_letter_row_seeds},
      {"posting", run_posting, posting_seeds},
      {"small_rows", run_small_rows, small_row_seeds},
      {"queue_definition", run_queue_definition, queue_definition_seeds},
      {"queue_checkpoint", run_queue_checkpoint, queue_checkpoint_seeds},
      {"redrive_task", run_redrive_task, redrive_task_seeds},
      {"keys", run_keys, key_seeds},
      {"receipt", run_receipt, receipt_seeds},
      {"json_edit", run_json_edit, json_edit_seeds},
      {"archive_line", run_archive_line, archive_line_seeds},
      {"archive_file", run_archive_file, archive_file_seeds},
      {"filter_answer", run_filter_answer, filter_answer_seeds},
      {"command_texts", run_command_texts, command_text_seeds},
#endif
  };
  return kTargets;
}

}  // namespace holdfast::fuzz
