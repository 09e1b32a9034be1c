#include "convert/operations.h"

#include "convert/bytes.h"
#include "convert/error.h"

namespace holdfast::convert {

void write(const std::filesystem::path& directory, const BackupOptions& options,
           wire::BackupRequest::Builder to) {
  to.setDirectory(as_text(directory.native()));
  to.setKeep(options.keep);
  to.setVerify(options.verify);
}

BackupCall read(wire::BackupRequest::Reader from) {
  return {.directory = string(from.getDirectory()),
          .options = {.keep = from.getKeep(), .verify = from.getVerify()}};
}

void write(const Result<BackupInfo>& from, wire::BackupReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setNumber(from->number);
  ok.setTakenAtMicros(micros(from->taken_at));
  ok.setBytes(from->bytes);
  ok.setFiles(from->files);
}

Result<BackupInfo> read(wire::BackupReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  return BackupInfo{.number = ok.getNumber(),
                    .taken_at = timestamp(ok.getTakenAtMicros()),
                    .bytes = ok.getBytes(),
                    .files = ok.getFiles()};
}

void write(const Result<VerifyReport>& from, wire::VerifyReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  auto findings = ok.initFindings(static_cast<unsigned>(from->findings.size()));
  for (unsigned i = 0; i < findings.size(); ++i) {
    const Finding& finding = from->findings[i];
    findings[i].setKind(as_text(finding.kind));
    findings[i].setWhere(as_text(finding.where));
    findings[i].setWhat(as_text(finding.what));
  }
  ok.setFound(from->found);
  ok.setQueues(from->queues);
  ok.setChunks(from->chunks);
  ok.setMessages(from->messages);
}

Result<VerifyReport> read(wire::VerifyReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  VerifyReport report;
  for (const auto finding : ok.getFindings()) {
    if (report.findings.size() == VerifyReport::kFindingsListed) break;
    report.findings.push_back(
        {string(finding.getKind()), string(finding.getWhere()), string(finding.getWhat())});
  }
  report.found = ok.getFound();
  report.queues = ok.getQueues();
  report.chunks = ok.getChunks();
  report.messages = ok.getMessages();
  return report;
}

}  // namespace holdfast::convert
